import { haltFailures } from "./failures.ts";

/** Whether an error means that work waits until a halt ends, which uses up no retry. Pure. */
export const isHalted = (error: unknown): boolean =>
	error instanceof Error && "code" in error && error.code === haltFailures.halted().code;
