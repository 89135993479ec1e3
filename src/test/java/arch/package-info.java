/**
 * Rules R1-R10 of ARCHITECTURE.md as tests. Each rule is a {@link arch.Rule}; {@link arch.ArchitectureTest} runs it over the
 * product and over {@code arch.planted}, whose classes each break one rule on purpose. There is no list of exceptions.
 */
package arch;
