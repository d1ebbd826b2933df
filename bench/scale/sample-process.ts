/** A process that sends one request at a time and takes down what each took of the servers' processors. */
import type { Seed } from "../sign-on/driver-process.ts";
import { type Flow, flows, type Target, type User } from "../sign-on/flows.ts";
import { exchanged } from "../sign-on/http.ts";
import { exactMsOf } from "./processor-time.ts";

export type Prepare = { kind: "prepare"; seeds: readonly Seed[] };
export type Sample = {
	kind: "sample";
	target: Target;
	flow: Flow;
	/** So many are sent before any is taken down, and then so many more. */
	warmUp: number;
	count: number;
	databasePid: number;
};
export type Job = Prepare | Sample;

/** By request of the flow, in milliseconds, one figure each; and its bytes on the average. */
export type Samples = Record<
	string,
	{ server: number[]; database: number[]; rest: number[]; sentBytes: number; receivedBytes: number }
>;

let users: User[] = [];

function prepare({ seeds }: Prepare): void {
	users = seeds.map(({ cookie, refreshToken = "", ...seed }): User => {
		const cookies = new Map(cookie === undefined ? [] : [cookie]);
		return { ...seed, cookies, refreshToken, accessToken: "", idToken: "" };
	});
}

/** Whoever has been at it longest ago is next. Reading needs the access token that trading a code gives. */
function nextUser(flow: Flow): User {
	const isReading = flow === "me" || flow === "userinfo";
	const at = isReading ? users.findIndex(({ accessToken }) => accessToken !== "") : 0;
	const [user] = users.splice(at, 1);
	if (at < 0 || user === undefined) throw new Error(`there is nobody for ${flow}`);
	users.push(user);
	return user;
}

async function sample({ target, flow, warmUp, count, databasePid }: Sample): Promise<Samples> {
	const samples: Samples = {};
	const read = () => ({ server: exactMsOf(target.pid), database: exactMsOf(databasePid, true) });
	for (let n = 0; n < warmUp + count; n += 1) {
		const user = nextUser(flow);
		for (const [name, step] of Object.entries(flows[flow])) {
			const none = { server: [], database: [], rest: [], sentBytes: 0, receivedBytes: 0 };
			const taken: Samples[string] = samples[name] ?? none;
			samples[name] = taken;
			const [before, bytes, begin] = [read(), { ...exchanged }, performance.now()];
			await step(target, user);
			const elapsed = performance.now() - begin;
			const after = read();
			if (n < warmUp) continue;
			const server = Math.max(0, after.server - before.server);
			const database = Math.max(0, after.database - before.database);
			taken.server.push(server);
			taken.database.push(database);
			taken.rest.push(Math.max(0, elapsed - server - database));
			taken.sentBytes += (exchanged.sent - bytes.sent) / count;
			taken.receivedBytes += (exchanged.received - bytes.received) / count;
		}
	}
	return samples;
}

process.on("message", async (job: Job) => {
	try {
		process.send?.({ result: job.kind === "prepare" ? prepare(job) : await sample(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
