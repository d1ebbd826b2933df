import type { FastifyInstance } from "fastify";
import { type FaultRule, type Faults, faultsShape } from "./faults.ts";

/** What a sandbox can do wrong, and to which of its operations. */
export type FaultWords = { operations: readonly string[]; faults: readonly string[] };

/** Routes that read and replace the rules. */
export function installFaults(
	app: FastifyInstance,
	path: string,
	{ faults, words }: { faults: Faults; words: FaultWords },
): void {
	app.get(path, () => ({ items: faults.rules() }));
	app.put(path, { schema: { body: faultsShape(words) } }, (request) => {
		faults.set(request.body as FaultRule[]);
		return { items: faults.rules() };
	});
}
