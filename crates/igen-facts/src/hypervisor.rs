//! Which hypervisor the machine runs on.

use crate::tree::Tree;

/// Signatures at the processor's leaf 0x40000000, and the names of their hypervisors.
const SIGNATURES: &[(&str, &str)] = &[
    ("KVMKVMKVM", "kvm"),
    ("Linux KVM Hv", "kvm"),
    ("TCGTCGTCGTCG", "qemu"),
    ("VMwareVMware", "vmware"),
    ("Microsoft Hv", "hyper-v"),
    ("XenVMMXenVMM", "xen"),
    ("VBoxVBoxVBox", "virtualbox"),
    ("bhyve bhyve ", "bhyve"),
    ("ACRNACRNACRN", "acrn"),
    ("QNXQVMBSQG", "qnx"),
];

/// Its name, or the processor's own word for it if it is not known here; `none` on bare metal. None
/// where neither processor nor kernel tells.
pub(crate) fn hypervisor(tree: &Tree) -> Option<String> {
    signature()
        .map(|signature| name(&signature))
        .or_else(|| tree.text("sys/hypervisor/type"))
}

/// Empty on bare metal, None if the processor does not tell.
#[cfg(target_arch = "x86_64")]
#[expect(clippy::unnecessary_wraps, reason = "other processors have none")]
fn signature() -> Option<String> {
    use std::arch::x86_64::__cpuid;

    const FEATURES: u32 = 1;
    const HYPERVISOR: u32 = 0x4000_0000;
    const HYPERVISOR_PRESENT: u32 = 1 << 31;

    if __cpuid(FEATURES).ecx & HYPERVISOR_PRESENT == 0 {
        return Some(String::new());
    }
    let leaf = __cpuid(HYPERVISOR);
    let letters = [leaf.ebx, leaf.ecx, leaf.edx]
        .map(u32::to_le_bytes)
        .concat();
    Some(
        String::from_utf8_lossy(&letters)
            .trim_end_matches('\0')
            .to_owned(),
    )
}

#[cfg(not(target_arch = "x86_64"))]
fn signature() -> Option<String> {
    None
}

fn name(signature: &str) -> String {
    if signature.is_empty() {
        return "none".to_owned();
    }
    let known = SIGNATURES.iter().find(|(known, _)| *known == signature);
    known.map_or(signature, |(_, name)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_have_names() {
        assert_eq!(name("KVMKVMKVM"), "kvm");
        assert_eq!(name("bhyve bhyve "), "bhyve");
        assert_eq!(name("NewHyperFoo"), "NewHyperFoo");
        assert_eq!(name(""), "none");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_processor_agrees_with_the_kernel() {
        let Some(info) = Tree::host().text("proc/cpuinfo") else {
            return;
        };
        let virtual_machine = info.contains(" hypervisor ");
        assert_eq!(
            signature().is_some_and(|signature| !signature.is_empty()),
            virtual_machine
        );
    }
}
