// refused: shared_limit\.cu:4:.*error: .*static shared memory above 48 KB
// refused: shared_limit\.cu:9:.*error: .*static shared memory above 48 KB
__global__ void one(float* out) {
  __shared__ float s[20000];
  *out = s[0];
}
__global__ void together(float* out) {
  __shared__ float a[8000];
  __shared__ float b[80], c[5000];
  *out = a[0] + b[0] + c[0];
}
int main() {}
