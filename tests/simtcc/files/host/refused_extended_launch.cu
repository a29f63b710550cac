// A launch by cudaLaunchKernelEx that is refused: at its line.
// status: 66
// prints: refused_launch \(clusters of 3 x 1 x 1 blocks of a grid of 4 x 1 x 1.*\): launch by host code \(refused_extended_launch.cu:LINE(launch)\)
__global__ void k(int* x, int n) {
  if (x != nullptr) x[0] = n;
}
int main() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 3, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 4, config.blockDim = 32;
  config.attrs = &attribute, config.numAttrs = 1;
  cudaLaunchKernelEx(&config, k, static_cast<int*>(nullptr), 3);  // launch
}
