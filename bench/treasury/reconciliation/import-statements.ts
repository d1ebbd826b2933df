import { setTimeout as sleep } from "node:timers/promises";
import type { Running } from "../../sign-on/processes.ts";
import { type Answer, type Asked, ask } from "../ask.ts";
import { shortcode, spentToday } from "./stated.ts";

const pollMs = 50;
const secondsMax = 3_600;

/** The treasury, as the operator of the platform asks it. */
export type Operator = {
	/** Imports a statement, which is compared before the answer. Returns its lines that were not known. */
	import(bytes: Buffer): Promise<number>;
	/** Compares what is expected. Returns once the run of the reconciliation has ended. */
	compareExpectations(): Promise<void>;
};

/** The operator of a running treasury. */
export function operatorOf({ url }: Running, token: () => string): Operator {
	const call = (path: string, asked: Asked = {}) =>
		ask(`${url}/api/v1/platform/${path}`, { ...asked, token: token() });
	const importOne = async (bytes: Buffer) => {
		const answer = await call(`statements?source=${shortcode}`, { type: "text/csv", body: bytes });
		return Number(answer["added"]);
	};
	return {
		import: importOne,
		async compareExpectations() {
			const at = new Date();
			await importOne(spentToday(at));
			const run = { kind: "expectations", from: at.toISOString(), to: at.toISOString() };
			const { id } = await call("reconciliation/runs", {
				type: "application/json",
				body: JSON.stringify(run),
			});
			const ends = performance.now() + secondsMax * 1_000;
			for (let state = ""; state !== "done"; await sleep(pollMs)) {
				if (performance.now() > ends) throw new Error(`the run did not end within ${secondsMax} s`);
				const { items } = await call("reconciliation/runs?limit=5", { method: "GET" });
				const found = (items as Answer[]).find((one) => one["id"] === id);
				if (found?.["failure"] != null) throw new Error(`the run failed: ${found["failure"]}`);
				state = String(found?.["state"]);
			}
		},
	};
}
