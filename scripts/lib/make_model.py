#!/usr/bin/env python3
"""Writes a GGUF model of a named shape with random weights: same arguments, same bytes.

What such a model says is noise, but it costs what a trained one of its shape costs: the same matrix
products over the same bytes. It has no vocabulary (tokenizer `no_vocab`), so nothing of anybody's is in
it. Every file says of itself that its weights are random, so that no result on it is taken for a real
model's.

Quantised blocks are drawn directly (random quants under sane scales) instead of being rounded from
floats, which makes an 8B in seconds.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from typing import BinaryIO, Iterator

import gguf
import numpy as np

# Part of what decides the bytes: raise it with any change to them.
FORMAT = 1
CHUNK_BLOCKS = 1 << 16


@dataclass(frozen=True)
class Shape:
    layers: int
    width: int
    heads: int
    kv_heads: int
    ffn: int
    vocabulary: int
    context: int
    rope_base: float = 500_000.0
    tied: bool = False  # the output matrix is the embedding's
    experts: int = 0
    experts_used: int = 0


SHAPES = {
    # Small enough for tests: its cost is that of the engine around it.
    "tiny": Shape(4, 256, 4, 2, 768, 2048, 4096),
    # The same with a mixture of experts.
    "moe-tiny": Shape(4, 256, 4, 2, 256, 2048, 4096, experts=8, experts_used=2),
    # As Llama 3.2 1B, Llama 3 8B and Mixtral 8x7B.
    "1b": Shape(16, 2048, 32, 8, 8192, 128_256, 131_072, tied=True),
    "8b": Shape(32, 4096, 32, 8, 14_336, 128_256, 8192),
    "moe-8x7b": Shape(32, 4096, 32, 8, 14_336, 32_000, 32_768, 1e6, experts=8, experts_used=2),
}

F32 = gguf.GGMLQuantizationType.F32
TYPES = {
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
    "q4_0": (gguf.GGMLQuantizationType.Q4_0, gguf.LlamaFileType.MOSTLY_Q4_0),
}


@dataclass(frozen=True)
class Tensor:
    name: str
    dims: tuple[int, ...]  # rows first, the contiguous dimension last
    kind: gguf.GGMLQuantizationType
    deviation: float  # standard deviation of the weights; 0: all ones

    @property
    def byte_count(self) -> int:
        block, size = gguf.GGML_QUANT_SIZES[self.kind]
        return int(np.prod(self.dims, dtype=np.int64)) // block * size


def tensors(shape: Shape, kind: gguf.GGMLQuantizationType) -> Iterator[Tensor]:
    """In the order of the file. Deviations of 1/sqrt(inputs) keep activations near one through any depth."""

    def matrix(name: str, *dims: int) -> Tensor:
        return Tensor(f"{name}.weight", dims, kind, dims[-1] ** -0.5)

    def norm(name: str) -> Tensor:
        return Tensor(f"{name}.weight", (shape.width,), F32, 0.0)

    kv_width = shape.width // shape.heads * shape.kv_heads
    # As the output matrix too, an embedding of deviation one would give each token its own as the next.
    embedding = shape.width**-0.5 if shape.tied else 1.0
    yield Tensor("token_embd.weight", (shape.vocabulary, shape.width), kind, embedding)
    for layer in range(shape.layers):
        block = f"blk.{layer}"
        yield norm(f"{block}.attn_norm")
        yield matrix(f"{block}.attn_q", shape.width, shape.width)
        yield matrix(f"{block}.attn_k", kv_width, shape.width)
        yield matrix(f"{block}.attn_v", kv_width, shape.width)
        yield matrix(f"{block}.attn_output", shape.width, shape.width)
        yield norm(f"{block}.ffn_norm")
        if shape.experts:
            many = shape.experts
            # The router stays F32, as in converted models.
            yield Tensor(f"{block}.ffn_gate_inp.weight", (many, shape.width), F32, shape.width**-0.5)
            yield matrix(f"{block}.ffn_gate_exps", many, shape.ffn, shape.width)
            yield matrix(f"{block}.ffn_up_exps", many, shape.ffn, shape.width)
            yield matrix(f"{block}.ffn_down_exps", many, shape.width, shape.ffn)
        else:
            yield matrix(f"{block}.ffn_gate", shape.ffn, shape.width)
            yield matrix(f"{block}.ffn_up", shape.ffn, shape.width)
            yield matrix(f"{block}.ffn_down", shape.width, shape.ffn)
    yield norm("output_norm")
    if not shape.tied:
        yield matrix("output", shape.vocabulary, shape.width)


def random_chunks(tensor: Tensor, seed: int, index: int) -> Iterator[np.ndarray]:
    """The tensor's bytes in chunks. Raw words of a bit generator are the part of numpy whose values are
    promised not to change between versions; its distributions are not, so none is used."""
    block, size = gguf.GGML_QUANT_SIZES[tensor.kind]
    count = tensor.byte_count // size
    generator = np.random.SFC64(np.random.SeedSequence([FORMAT, seed, index]))
    # Uniform integers of this many steps have this deviation; scales spread over half to one and a half.
    steps = {"Q4_0": 16, "Q8_0": 256}.get(tensor.kind.name, 65_536)
    scale = tensor.deviation / ((steps**2 - 1) / 12) ** 0.5
    spread = scale * (0.5 + np.arange(256) / 255)
    if tensor.kind.name == "Q4_0":
        # Its quants run from -8 to 7. Their mean of -0.5 is the same direction in every row and would
        # grow from layer to layer until every token came out alike; scales of both signs cancel it.
        spread[1::2] *= -1
    scales = spread.astype("<f2").view(np.uint8).reshape(256, 2)
    while count > 0:
        now = min(count, CHUNK_BLOCKS)
        count -= now
        if tensor.deviation == 0.0:
            yield np.ones(now, dtype="<f4")
            continue
        # Only a whole chunk's length decides how many words are drawn, so nothing depends on the machine.
        if block == 1:
            words = generator.random_raw((now + 3) // 4).astype("<u8").view("<i2")[:now]
            floats = words.astype(np.float32) * np.float32(scale)
            yield floats.astype("<f4" if tensor.kind == F32 else "<f2")
            continue
        words = generator.random_raw((now * size + 7) // 8).astype("<u8", copy=False)
        blocks = words.view(np.uint8)[: now * size].reshape(now, size)
        blocks[:, :2] = scales[blocks[:, 0]]
        if tensor.kind.name == "Q8_0":
            # Quantisers never write -128, so no kernel need be right about it.
            quants = blocks[:, 2:].view(np.int8)
            np.maximum(quants, -127, out=quants)
        yield blocks


def add_metadata(writer: gguf.GGUFWriter, name: str, shape: Shape, type_name: str, seed: int) -> None:
    writer.add_name(f"random-{name}")
    writer.add_string("sustain.weights", "random")
    writer.add_uint32("sustain.seed", seed)
    writer.add_uint32("sustain.format", FORMAT)
    writer.add_file_type(TYPES[type_name][1])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_block_count(shape.layers)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.ffn)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_tokenizer_model("no_vocab")
    if shape.experts:
        writer.add_expert_count(shape.experts)
        writer.add_expert_used_count(shape.experts_used)


def pad(file: BinaryIO, alignment: int) -> None:
    file.write(b"\0" * (-file.tell() % alignment))


def write_model(path: str, name: str, type_name: str, seed: int) -> None:
    shape = SHAPES[name]
    kind = TYPES[type_name][0]
    writer = gguf.GGUFWriter(path, "llama")
    add_metadata(writer, name, shape, type_name, seed)
    for tensor in tensors(shape, kind):
        writer.add_tensor_info(
            tensor.name, tensor.dims, np.dtype(np.float32), tensor.byte_count, raw_dtype=tensor.kind
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    alignment = writer.data_alignment
    writer.close()
    # The writer wants whole tensors in memory, so it only writes the header; the data streams after it.
    with open(path, "ab") as file:
        pad(file, alignment)
        for index, tensor in enumerate(tensors(shape, kind)):
            for chunk in random_chunks(tensor, seed, index):
                chunk.tofile(file)
            pad(file, alignment)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/make-model", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--shape", choices=SHAPES, default="tiny", help="default: tiny")
    parser.add_argument("--type", choices=TYPES, default="q4_0", help="of the matrices; default: q4_0")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--out", help="default: .deps/models/random-SHAPE-TYPE.gguf")
    options = parser.parse_args()
    if not 0 <= options.seed < 1 << 32:
        parser.error("--seed: must lie between 0 and 2^32 - 1")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    default = os.path.join(root, ".deps", "models", f"random-{options.shape}-{options.type}.gguf")
    out = options.out or default
    if not options.out:
        os.makedirs(os.path.dirname(out), exist_ok=True)
    # A name of its own for each process: two at once each finish a whole file.
    part = f"{out}.part{os.getpid()}"
    try:
        write_model(part, options.shape, options.type, options.seed)
        os.replace(part, out)
    except OSError as error:
        print(f"error: {out}: {error.strerror}\n  remedy: pass --out a path that can be written, with room", file=sys.stderr)
        return 1
    finally:
        if os.path.exists(part):
            os.unlink(part)
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
