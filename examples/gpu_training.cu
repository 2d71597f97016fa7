// The example for the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu_training.cpp"
