//! Graphs.

use std::ffi::{c_char, c_uint};

use cust::sys;

super::forward! {
    fn cuGraphCreate(ph_graph: *mut sys::CUgraph, flags: c_uint);
    fn cuGraphAddKernelNode(ph_graph_node: *mut sys::CUgraphNode, h_graph: sys::CUgraph, dependencies: *const sys::CUgraphNode, num_dependencies: usize, node_params: *const sys::CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphKernelNodeGetParams(h_node: sys::CUgraphNode, node_params: *mut sys::CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphNodeGetType(h_node: sys::CUgraphNode, kind: *mut c_uint);
    fn cuGraphGetNodes(h_graph: sys::CUgraph, nodes: *mut sys::CUgraphNode, num_nodes: *mut usize);
    fn cuGraphGetEdges(h_graph: sys::CUgraph, from: *mut sys::CUgraphNode, to: *mut sys::CUgraphNode, num_edges: *mut usize);
    fn cuGraphDestroy(h_graph: sys::CUgraph);
    fn cuGraphDebugDotPrint(h_graph: sys::CUgraph, path: *const c_char, flags: c_uint);
}
