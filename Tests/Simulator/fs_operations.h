// The FUSE operations, for fs.c alone.
#pragma once

#define FUSE_USE_VERSION 31
#include <fuse3/fuse_lowlevel.h>

#include "machine.h"

struct machine *machine_of(fuse_req_t request);

/// The node that a number of the kernel's means; NULL for none.
struct node *node_of(fuse_req_t request, fuse_ino_t number);

enum fault_kind fault_now(fuse_req_t request, const struct node *node);

void fs_lookup(fuse_req_t request, fuse_ino_t number, const char *name);
void fs_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info);
void fs_setattr(
    fuse_req_t request, fuse_ino_t number, struct stat *facts, int what, struct fuse_file_info *info);
void fs_readlink(fuse_req_t request, fuse_ino_t number);
void fs_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info);
void fs_readdir(
    fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *info);

void fs_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info);
void fs_release(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info);
void fs_read(
    fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *info);
void fs_write(
    fuse_req_t request, fuse_ino_t number, const char *bytes, size_t size, off_t offset,
    struct fuse_file_info *info);
