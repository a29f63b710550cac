// The golden bits of order v1, part of the contract: mode fast returns these on every machine.
//
// Written by write_order_v1_golden from the scalar reference; the vectors are in order_v1_data.hpp.
#pragma once

#include <cstdint>

namespace golden {

inline constexpr std::uint32_t of_float[] = {
    0x3b8497c5,  // n = 1, 0x1.092f8ap-8
    0xcc4628a6,  // n = 2, -0x1.8c514cp+25
    0x429652ad,  // n = 3, 0x1.2ca55ap+6
    0x52bd0688,  // n = 63, 0x1.7a0d1p+38
    0xd00a6776,  // n = 64, -0x1.14ceecp+33
    0x535e1a1c,  // n = 65, 0x1.bc3438p+39
    0x51caa35d,  // n = 127, 0x1.9546bap+36
    0xcf4f1fc0,  // n = 128, -0x1.9e3f8p+31
    0x51c68c66,  // n = 129, 0x1.8d18ccp+36
    0xd3fbe42c,  // n = 511, -0x1.f7c858p+40
    0x51f1a3dc,  // n = 1000, 0x1.e347b8p+36
    0x540f1f54,  // n = 1023, 0x1.1e3ea8p+41
    0x53862f88,  // n = 1024, 0x1.0c5f1p+40
    0x544e3be8,  // n = 1025, 0x1.9c77dp+41
    0xd3a09d9f,  // n = 2047, -0x1.413b3ep+40
    0x53782141,  // n = 2048, 0x1.f04282p+39
    0xd30e527c,  // n = 2049, -0x1.1ca4f8p+39
    0x550d31bc,  // n = 4097, 0x1.1a6378p+43
    0xd409454e,  // n = 10000, -0x1.128a9cp+41
    0x54c461a7,  // n = 16385, 0x1.88c34ep+42
    0x55b22d5a,  // n = 65537, 0x1.645ab4p+44
    0x552f56ed,  // n = 100003, 0x1.5eaddap+43
};

inline constexpr std::uint64_t of_double[] = {
    0x3f72175d7d343fa0,  // n = 1, 0x1.2175d7d343fap-8
    0xc1836c7edac1bd2e,  // n = 2, -0x1.36c7edac1bd2ep+25
    0x40689c649ead3045,  // n = 3, 0x1.89c649ead3045p+7
    0x4256ac7aca01de40,  // n = 63, 0x1.6ac7aca01de4p+38
    0xc20484ddc238eb4e,  // n = 64, -0x1.484ddc238eb4ep+33
    0x4276453846e9bdee,  // n = 65, 0x1.6453846e9bdeep+40
    0x42394ff15fdd2378,  // n = 127, 0x1.94ff15fdd2378p+36
    0x41ef1059e8e0ba60,  // n = 128, 0x1.f1059e8e0ba6p+31
    0x424285fbdf61f7ba,  // n = 129, 0x1.285fbdf61f7bap+37
    0xc280a27edefc3435,  // n = 511, -0x1.0a27edefc3435p+41
    0x421759844c239ab0,  // n = 1000, 0x1.759844c239abp+34
    0x4285d8e225a389b2,  // n = 1023, 0x1.5d8e225a389b2p+41
    0x4265c08269027634,  // n = 1024, 0x1.5c08269027634p+39
    0x4281eabd9bbba8b5,  // n = 1025, 0x1.1eabd9bbba8b5p+41
    0xc271467b2f34beb9,  // n = 2047, -0x1.1467b2f34beb9p+40
    0x426fe02eb7377e26,  // n = 2048, 0x1.fe02eb7377e26p+39
    0x426f523ef3040299,  // n = 2049, 0x1.f523ef3040299p+39
    0x429962b075209c12,  // n = 4097, 0x1.962b075209c12p+42
    0xc2a0a6f71b66d4b2,  // n = 10000, -0x1.0a6f71b66d4b2p+43
    0x4290c5cd7b7254dc,  // n = 16385, 0x1.0c5cd7b7254dcp+42
    0x42be7f8f18f610cf,  // n = 65537, 0x1.e7f8f18f610cfp+44
    0xc2502c20564151e0,  // n = 100003, -0x1.02c20564151ep+38
};

}  // namespace golden
