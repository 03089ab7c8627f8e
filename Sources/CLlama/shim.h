// The system module over an installed llama.cpp, found by pkg-config (llama.pc).
#pragma once
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>
#include <llama.h>
