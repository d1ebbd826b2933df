import type { Sample } from "./driver-process.ts";
import type { Target } from "./flows.ts";
import { interleave, rateOf, rateRatios, timesOf, warmUp } from "./interleave.ts";
import type { Load, Outcome } from "./load.ts";
import type { Running } from "./processes.ts";
import { ms, percent, rate, type Section, table, times, type Verdict } from "./report.ts";
import { drawPeople, langoTarget, type Stage, signInPeople } from "./stage.ts";

/** Our service, the peer and the floor, running, each with people who are signed in. */
export type Field = {
	lango: Running;
	targets: readonly [Target, Target, Target];
	/** A table of what each signs. */
	sizes: string;
	close(): Promise<void>;
};

const people = 64;

/** Starts all three and has the same number of people sign in at each; what their tokens are like is looked at. */
export async function openField(stage: Stage): Promise<Field> {
	const { driver } = stage;
	const lango = await stage.startLango(stage.small);
	const peer = await stage.startOther(
		"oidc_provider",
		"bench/sign-on/oidc-provider-process.ts",
		"/.well-known/openid-configuration",
	);
	const floor = await stage.startOther("floor", "bench/sign-on/floor-process.ts", "/healthz");
	const targets = [
		langoTarget("lango", lango),
		{ name: "oidc-provider", url: peer.url, authorizePath: "/auth", tokenPath: "/token" },
		{ name: "floor", url: floor.url, authorizePath: "/authorize", tokenPath: "/token" },
	] as const;
	const ours = await signInPeople(stage.small, drawPeople(stage.small.size, people));
	const others = Array.from({ length: people }, (_, at) => ({ login: String(at), tenantSlug: "" }));
	const rows: string[][] = [];
	for (const target of targets) {
		const seeds = target.name === "lango" ? ours.map(({ refreshToken: _, ...seed }) => seed) : others;
		rows.push(describeTokens(target.name, await driver.prepare({ target, seeds })));
	}
	return {
		lango,
		targets,
		sizes: table(["", "access token", "id token", "refresh token"], rows),
		close: async () => {
			for (const running of [lango, peer, floor]) await running.stop();
		},
	};
}

/** Refuses a comparison of unlike work: all three sign ES256 access tokens and RS256 id tokens. */
function describeTokens(name: string, { accessToken, idToken, refreshToken }: Sample): string[] {
	const header = (token: string) =>
		JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as {
			alg: string;
			typ?: string;
		};
	const [access, id] = [header(accessToken), header(idToken)];
	if (access.alg !== "ES256" || access.typ !== "at+jwt" || id.alg !== "RS256")
		throw new Error(`${name} signs other tokens: ${JSON.stringify({ access, id })}`);
	const bytes = (token: string) => `${Buffer.byteLength(token)} bytes`;
	return [name, `${access.alg}, ${bytes(accessToken)}`, `${id.alg}, ${bytes(idToken)}`, bytes(refreshToken)];
}

/** The code flow of a person who is signed in: the authorization request and the code's exchange. */
export async function compareCodeFlow(stage: Stage, field: Field): Promise<Section> {
	const load: Load = { flow: "code flow", connections: stage.options.connections };
	const all = await run(stage, field, load);
	const [ours, peer] = all;
	const ratio = rateRatios(ours, peer);
	return {
		title: "Code flow with a session: authorize, then token",
		text: `${describe(field, all, ["authorize", "token"])}\n\nThe tokens each signs:\n\n${field.sizes}`,
		verdicts: [
			{
				what: "Code flow against oidc-provider",
				figure: times(ratio),
				target: "≥ 3 ×",
				isReached: ratio.middle >= 3,
				ifNot: limits(all),
			},
		],
	};
}

/** Refresh tokens, each used once for the next. */
export async function compareRefresh(stage: Stage, field: Field): Promise<Section> {
	const load: Load = { flow: "refresh", connections: stage.options.connections };
	const all = await run(stage, field, load);
	const [ours, peer, floor] = all;
	const ofPeer = rateRatios(ours, peer);
	const ofFloor = rateRatios(ours, floor);
	const verdicts: Verdict[] = [
		{
			what: "Refresh against oidc-provider",
			figure: times(ofPeer),
			target: "≥ 3 ×",
			isReached: ofPeer.middle >= 3,
			ifNot: limits(all),
		},
		{
			what: "Refresh against its floor",
			figure: percent(ofFloor),
			target: "≥ 70 %",
			isReached: ofFloor.middle >= 0.7,
			ifNot: limits(all),
		},
	];
	return { title: "Refresh", text: describe(field, all, ["refresh"]), verdicts };
}

type Three = readonly [Outcome[], Outcome[], Outcome[]];

async function run({ driver, options }: Stage, { targets }: Field, load: Load): Promise<Three> {
	await warmUp(driver, targets, { load, seconds: options.warmUpSeconds });
	const { runs, seconds } = options;
	const [ours = [], peer = [], floor = []] = await interleave(driver, targets, { load, runs, seconds });
	return [ours, peer, floor];
}

function describe({ targets }: Field, all: Three, steps: readonly string[]): string {
	const rows = all.map((outcomes, at) => [
		targets[at]?.name ?? "",
		rate(rateOf(outcomes)),
		...steps.flatMap((step) => [ms(timesOf(outcomes, step, "p50")), ms(timesOf(outcomes, step, "p99"))]),
	]);
	const head = ["", "a second", ...steps.flatMap((step) => [`${step} p50 ms`, `${step} p99 ms`])];
	const [ours, peer, floor] = all;
	return `${table(head, rows)}

Run by run, lango does ${times(rateRatios(ours, peer))} what oidc-provider does, and ${percent(rateRatios(ours, floor))} of what its floor does.`;
}

/** What a request of each costs, from the rates: the share that nobody can save is the floor's. */
function limits([ours, peer, floor]: Three): string {
	const cost = (outcomes: Outcome[]) => 1_000 / rateOf(outcomes).middle;
	const [own, theirs, least] = [cost(ours), cost(peer), cost(floor)].map((one) => one.toFixed(2));
	const most = (cost(peer) / cost(floor)).toFixed(2);
	return `On one core a flow takes lango ${own} ms, oidc-provider ${theirs} ms and the floor, which only writes its row and signs, ${least} ms; nothing on these parts could be more than ${most} × as fast as oidc-provider.`;
}
