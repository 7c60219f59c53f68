#!/usr/bin/env bash
# Compiles the .cu files beside it with nvcc from PyPI (no CUDA toolkit needed; the network and g++
# are), and runs the tests on what comes out. make.sh [FOLDER]: where packages and PTX go.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
mkdir -p "$folder/packages"
cd "$folder/packages"
if ! ls -d unpacked/nvidia/*/bin/nvcc >/dev/null 2>&1; then
    pip download -q --no-deps nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime \
        nvidia-cuda-cccl
    for wheel in *.whl; do unzip -qo "$wheel" -d unpacked; done
fi
root=$(dirname "$(dirname "$(ls unpacked/nvidia/*/bin/nvcc)")")
chmod +x "$root"/bin/* "$root"/nvvm/bin/*
for source in cub headers; do
    "$root/bin/nvcc" -ptx -std=c++17 -arch=sm_90 -lineinfo -I "$root/include/cccl" \
        -o "$folder/$source.ptx" "$here/$source.cu"
done
cd "$here"
LOCKSTEP_NVCC_PTX=$folder cargo test -p simt --test nvcc
