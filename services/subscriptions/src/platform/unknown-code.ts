import { chassisFailures, type Failure } from "@lango/chassis";

/** A code that the catalogue does not have, named with its field. */
export function unknownCode({ field, code }: { field: string; code: string }): Failure {
	return chassisFailures.invalid_input({
		message: `${field} names "${code}", which the catalogue does not have.`,
		fields: { field, in: "body" },
	});
}
