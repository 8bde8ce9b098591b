// The kernels that predictions run on.
#ifndef BELLAMY_DETAIL_NETWORK_KERNELS_HPP
#define BELLAMY_DETAIL_NETWORK_KERNELS_HPP

#include <bellamy/detail/network_kernel_batch.hpp>
#include <bellamy/detail/network_kernel_table.hpp>

#endif
