# An overlay port: it builds the checkout that it lies in.
set(VCPKG_BUILD_TYPE release)  # headers only
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DKROTON_BUILD_TESTS=OFF -DKROTON_BUILD_EXAMPLES=OFF -DKROTON_RUNTIME=OFF -DKROTON_CUDA=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/kroton)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
