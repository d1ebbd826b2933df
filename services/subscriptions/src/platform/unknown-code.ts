import { chassisFailures, type Failure } from "@lango/chassis";

/** An error for a code that is not in the catalogue, with its field. */
export function unknownCode({ field, code }: { field: string; code: string }): Failure {
	return chassisFailures.invalid_input({
		message: `${field} names "${code}", which is not in the catalogue.`,
		fields: { field, in: "body" },
	});
}
