import { median } from "../figures.ts";
import { ms, percent, rate, type Section, table, times, type Verdict } from "../report.ts";
import type { Sample } from "./driver-process.ts";
import type { Target } from "./flows.ts";
import { changeIdTokenAlgorithm, requireSessionsBelowLimit } from "./installation.store.ts";
import { interleave, type Measured, rateOf, rateRatios, timesOf, warmUp } from "./interleave.ts";
import type { Load } from "./load.ts";
import { compared } from "./options.ts";
import type { Running } from "./processes.ts";
import { drawPeople, type Installation, langoTarget, type Stage, signInPeople } from "./stage.ts";

/**
 * Our service, the peer and two floors, each with signed-in people. The statements of the first floor also
 * read the claims of its tokens; the second floor invents them and only writes.
 */
export type Field = {
	lango: Running;
	installation: Installation;
	targets: readonly [Target, Target, Target, Target];
	/** A table of the tokens that each signs. */
	sizes: string;
	close(): Promise<void>;
};

const floorPaths = { authorizePath: "/authorize", tokenPath: "/token" };

/**
 * Starts all four, signs in the same number of people at each, and checks their tokens. `idTokens` is the
 * algorithm of the ID tokens of all four.
 */
export async function openField(stage: Stage, idTokens: "RS256" | "ES256"): Promise<Field> {
	const { driver } = stage;
	const installation = await stage.install(`bench_compared_${idTokens.toLowerCase()}`, compared);
	const ours = await signInPeople(installation, drawPeople(compared, compared.people));
	const lango = await stage.startLango(installation);
	// The start of the service records its clients with their default algorithm.
	await changeIdTokenAlgorithm(installation.adminUrl, idTokens);
	const peer = await stage.startOther({
		name: "oidc_provider",
		program: "bench/sign-on/oidc-provider-process.ts",
		readyPath: "/.well-known/openid-configuration",
		idTokens,
	});
	const startFloor = (name: string, environment: Record<string, string>) =>
		stage.startOther({
			name,
			program: "bench/sign-on/floor-process.ts",
			readyPath: "/healthz",
			idTokens,
			environment,
		});
	const floor = await startFloor("floor", { READS_CLAIMS: "yes" });
	const bareFloor = await startFloor("bare_floor", {});
	const targets = [
		langoTarget("lango", lango),
		{ name: "oidc-provider", url: peer.url, pid: peer.pid, authorizePath: "/auth", tokenPath: "/token" },
		{ name: "floor", url: floor.url, pid: floor.pid, ...floorPaths },
		{ name: "floor that reads nothing", url: bareFloor.url, pid: bareFloor.pid, ...floorPaths },
	] as const;
	const others = Array.from({ length: compared.people }, (_, at) => ({ login: String(at), tenantSlug: "" }));
	const rows: string[][] = [];
	for (const target of targets) {
		const seeds = target.name === "lango" ? ours.map(({ refreshToken: _, ...seed }) => seed) : others;
		const sample = await driver.prepare({ target, seeds });
		rows.push(describeTokens(target.name, sample, idTokens));
	}
	return {
		lango,
		installation,
		targets,
		sizes: table(["", "access token", "id token", "refresh token"], rows),
		close: async () => {
			for (const running of [lango, peer, floor, bareFloor]) await running.stop();
		},
	};
}

/**
 * Describes the tokens. Throws an Error unless all sign ES256 access tokens, and ID tokens with the same
 * algorithm.
 */
function describeTokens(
	name: string,
	{ accessToken, idToken, refreshToken }: Sample,
	idTokens: string,
): string[] {
	const header = (token: string) =>
		JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as {
			alg: string;
			typ?: string;
		};
	const [access, id] = [header(accessToken), header(idToken)];
	if (access.alg !== "ES256" || access.typ !== "at+jwt" || id.alg !== idTokens)
		throw new Error(`${name} signs tokens of other algorithms: ${JSON.stringify({ access, id })}`);
	const bytes = (token: string) => `${Buffer.byteLength(token)} bytes`;
	return [name, `${access.alg}, ${bytes(accessToken)}`, `${id.alg}, ${bytes(idToken)}`, bytes(refreshToken)];
}

/** Compares the code flow of signed-in people: the authorization request and the exchange of the code. */
export async function compareCodeFlow(stage: Stage, field: Field): Promise<Section> {
	const load: Load = { flow: "code flow", connections: stage.options.connections };
	const all = await run(stage, field, load);
	await requireSessionsBelowLimit(field.installation.adminUrl);
	const [ours, peer, floor] = all;
	const ofPeer = rateRatios(ours, peer);
	const ofFloor = rateRatios(ours, floor);
	return {
		title: "Code flow with a session: authorize, then token",
		text: `${describe(field, all, ["authorize", "token"])}\n\nThe tokens of each:\n\n${field.sizes}`,
		verdicts: [
			{
				what: "Code flow against oidc-provider",
				figure: times(ofPeer),
				target: "≥ 3 ×",
				isReached: ofPeer.middle >= 3,
				ifNot: limits(all),
			},
			{
				what: "Code flow against its floor",
				figure: percent(ofFloor),
				target: "≥ 70 %",
				isReached: ofFloor.middle >= 0.7,
				ifNot: `${limits(all)} PostgreSQL and the driver share a core, so PostgreSQL's time limits the rate. The floor stores one row and checks nothing. Lango stores a code and a session with their references, checks the cookie, client, redirect address and challenge, and counts the sessions of the person (shares in decision 0014).`,
			},
		],
	};
}

/**
 * Compares refreshes: by a client that only sends the refresh token, and by one that requests an ID token,
 * which is the same work for all.
 */
export async function compareRefresh(stage: Stage, field: Field): Promise<Section> {
	const { connections } = stage.options;
	const all = await run(stage, field, { flow: "refresh", connections });
	const withIdToken = await run(stage, field, { flow: "refresh with an ID token", connections });
	const [ours, peer, floor, bareFloor] = all;
	const ofPeer = rateRatios(ours, peer);
	const ofFloor = rateRatios(ours, floor);
	const ofBareFloor = rateRatios(ours, bareFloor);
	const [oursWith, peerWith, floorWith] = withIdToken;
	const ifNot = `${limits(all)} With an ID token, lango reaches ${times(rateRatios(oursWith, peerWith))} of oidc-provider, and ${percent(rateRatios(oursWith, floorWith))} of its floor.`;
	const verdicts: Verdict[] = [
		{
			what: "Refresh against oidc-provider",
			figure: times(ofPeer),
			target: "≥ 3 ×",
			isReached: ofPeer.middle >= 3,
			ifNot,
		},
		{
			what: "Refresh against its floor",
			figure: percent(ofFloor),
			target: "≥ 70 %",
			isReached: ofFloor.middle >= 0.7,
			ifNot,
		},
		{
			what: "Refresh against a floor that reads nothing of the person",
			figure: percent(ofBareFloor),
			target: "≥ 70 %",
			isReached: ofBareFloor.middle >= 0.7,
			ifNot:
				"This floor invents the claims of its tokens: it does not read the person, membership, tenant and outlet, as true tokens require.",
		},
	];
	return {
		title: "Refresh",
		text: `A client that only sends its refresh token. oidc-provider always signs an ID token; lango and the floors sign none.

${describe(field, all, ["refresh"])}

A client that requests an ID token: all sign one.

${describe(field, withIdToken, ["refresh"])}`,
		verdicts,
	};
}

/** Compares both flows with ID tokens signed by ES256, which shows the programs without the RSA signature. */
export async function compareWithoutRsa(stage: Stage): Promise<Section> {
	const field = await openField(stage, "ES256");
	const codeFlow = await compareCodeFlow(stage, field);
	const refresh = await compareRefresh(stage, field);
	await field.close();
	return {
		title: "The same with ES256 id tokens",
		text: `Without targets. It shows the programs without the RSA signature.\n\n### ${codeFlow.title}\n\n${codeFlow.text}\n\n### ${refresh.title}\n\n${refresh.text}`,
		verdicts: [],
	};
}

type All = readonly [Measured[], Measured[], Measured[], Measured[]];

async function run(stage: Stage, { targets }: Field, load: Load): Promise<All> {
	const { driver, options } = stage;
	await warmUp(driver, targets, { load, seconds: options.warmUpSeconds });
	const { runs, seconds } = options;
	const outcomes = await interleave(stage, targets, { load, runs, seconds });
	const [ours = [], peer = [], floor = [], bareFloor = []] = outcomes;
	return [ours, peer, floor, bareFloor];
}

function describe({ targets }: Field, all: All, steps: readonly string[]): string {
	const rows = all.map((outcomes, at) => [
		targets[at]?.name ?? "",
		rate(rateOf(outcomes)),
		median(outcomes.map(({ serverMs }) => serverMs)).toFixed(2),
		median(outcomes.map(({ databaseMs }) => databaseMs)).toFixed(2),
		median(outcomes.map(({ waitingMs }) => waitingMs)).toFixed(2),
		...steps.flatMap((step) => [ms(timesOf(outcomes, step, "p50")), ms(timesOf(outcomes, step, "p99"))]),
	]);
	const head = [
		"",
		"a second",
		"processor ms of the server",
		"of PostgreSQL",
		"waiting for a core ms",
		...steps.flatMap((step) => [`${step} p50 ms`, `${step} p99 ms`]),
	];
	const [ours, peer, floor, bareFloor] = all;
	return `${table(head, rows)}

Per run, lango reaches ${times(rateRatios(ours, peer))} the rate of oidc-provider, ${percent(rateRatios(ours, floor))} of that of its floor, and ${percent(rateRatios(ours, bareFloor))} of that of the floor that reads nothing.`;
}

/** The limits in measured figures: the floor against the peer, and the cost of a flow of each. */
function limits([ours, peer, floor, bareFloor]: All): string {
	const cost = (of: Measured[]) =>
		`${median(of.map(({ serverMs }) => serverMs)).toFixed(2)} + ${median(of.map(({ databaseMs }) => databaseMs)).toFixed(2)}`;
	return `The floor, which writes its row, reads the claims and signs, reaches ${times(rateRatios(floor, peer))} the rate of oidc-provider, and ${times(rateRatios(bareFloor, peer))} if it reads nothing. Processor time of a flow in ms (server + PostgreSQL): lango ${cost(ours)}, oidc-provider ${cost(peer)}, the floor ${cost(floor)} (${cost(bareFloor)} if it reads nothing).`;
}
