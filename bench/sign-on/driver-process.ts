/**
 * The driver: a process that acts as browsers and clients. It keeps the people of each target between runs.
 */
import { type Flow, flows, signInByRedirects, type Target, type User } from "./flows.ts";
import { drive, type Load, type Outcome } from "./load.ts";

/** A person of the driver. Without a refresh token the person first signs in by redirects. */
export type Seed = {
	login: string;
	tenantSlug: string;
	cookie?: [name: string, value: string];
	refreshToken?: string;
};

export type Prepare = { kind: "prepare"; target: Target; seeds: readonly Seed[] };
export type Drive = {
	kind: "drive";
	target: Target;
	loads: readonly Load[];
	seconds: number;
	settleSeconds: number;
};
/** Uses each of these refresh tokens once, with a limited number in flight. */
export type RefreshEach = {
	kind: "refresh-each";
	target: Target;
	refreshTokens: readonly string[];
	connections: number;
};
export type Job = Prepare | Drive | RefreshEach;

/** Sample tokens of one person of a target. */
export type Sample = { accessToken: string; idToken: string; refreshToken: string };

/** Flows that need an access token, which an earlier flow must have obtained. */
const reading: ReadonlySet<Flow> = new Set(["me", "userinfo"]);

/** Sign-ins in flight while people are prepared. */
const signInsAtOnce = 8;

const peopleOf = new Map<string, User[]>();

async function prepare({ target, seeds }: Prepare): Promise<Sample> {
	const users = seeds.map(({ cookie, refreshToken = "", ...seed }): User => {
		const cookies = new Map(cookie === undefined ? [] : [cookie]);
		return { ...seed, cookies, refreshToken, accessToken: "", idToken: "" };
	});
	const waiting = users.filter(({ refreshToken }) => refreshToken === "");
	const work = async () => {
		for (let user = waiting.pop(); user !== undefined; user = waiting.pop())
			await signInByRedirects(target, user);
	};
	await Promise.all(Array.from({ length: signInsAtOnce }, work));
	peopleOf.set(target.name, users);
	const [first] = users;
	if (first === undefined) throw new Error("there are no people for the driver");
	const { accessToken, idToken, refreshToken } = first;
	return { accessToken, idToken, refreshToken };
}

/** Concurrent streams have different people, so that they do not wait for each other. */
async function driveAll({ target, loads, seconds, settleSeconds }: Drive): Promise<Outcome[]> {
	const everyone = peopleOf.get(target.name) ?? [];
	const needsToken = loads.some(({ flow }) => reading.has(flow));
	const users = needsToken ? everyone.filter(({ accessToken }) => accessToken !== "") : everyone;
	const share = Math.floor(users.length / loads.length);
	const groups = loads.map((load, at) => ({ load, group: users.slice(at * share, (at + 1) * share) }));
	return Promise.all(groups.map(({ load, group }) => drive(target, group, { load, seconds, settleSeconds })));
}

async function refreshEach({ target, refreshTokens, connections }: RefreshEach): Promise<number> {
	const waiting = [...refreshTokens];
	const work = async () => {
		for (let refreshToken = waiting.pop(); refreshToken !== undefined; refreshToken = waiting.pop()) {
			const user = {
				login: "",
				tenantSlug: "",
				cookies: new Map(),
				accessToken: "",
				idToken: "",
				refreshToken,
			};
			await flows.refresh.refresh(target, user);
		}
	};
	await Promise.all(Array.from({ length: connections }, work));
	return refreshTokens.length;
}

function run(job: Job): Promise<unknown> {
	if (job.kind === "prepare") return prepare(job);
	return job.kind === "drive" ? driveAll(job) : refreshEach(job);
}

process.on("message", async (job: Job) => {
	try {
		process.send?.({ result: await run(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
