import { type Section, table } from "../report.ts";
import { countUsedSessions } from "./installation.store.ts";
import { small } from "./options.ts";
import { memoryOf } from "./processes.ts";
import { drawPeople, langoTarget, type Stage, signInPeople } from "./stage.ts";

const targetMb = 300;

/**
 * Measures the memory of a new process of the sign-on service after it has refreshed each of many sessions.
 */
export async function measureMemory(stage: Stage): Promise<Section> {
	const { driver, options } = stage;
	const installation = await stage.install("bench_memory", small);
	const lango = await stage.startLango(installation);
	const begin = memoryOf(lango.pid).nowMb;
	const before = await countUsedSessions(installation.adminUrl);
	const people = drawPeople(small, options.sessions);
	const seeds = await signInPeople(installation, people);
	const refreshTokens = seeds.map(({ refreshToken }) => refreshToken);
	const started = performance.now();
	await driver.refreshEach({
		target: langoTarget("memory", lango),
		refreshTokens,
		connections: options.connections,
	});
	const seconds = (performance.now() - started) / 1_000;
	const used = (await countUsedSessions(installation.adminUrl)) - before;
	if (used !== options.sessions) throw new Error(`${used} of ${options.sessions} sessions were used`);
	const { nowMb, peakMb } = memoryOf(lango.pid);
	await lango.stop();
	const mb = (figure: number) => `${Math.round(figure)} MB`;
	return {
		title: "Memory",
		text: `${table(
			["the process of the sign-on service", "memory"],
			[
				["after its start", mb(begin)],
				[`after ${options.sessions.toLocaleString("en")} sessions`, mb(nowMb)],
				["at its peak", mb(peakMb)],
			],
		)}

The sessions were inserted by SQL as sign-ins would write them. Each was then refreshed once over HTTP (in ${Math.round(seconds)} s), so all of them passed through the process. Resident memory.`,
		verdicts: [
			{
				what: `Memory with ${options.sessions.toLocaleString("en")} sessions, at its peak`,
				figure: mb(peakMb),
				target: `< ${targetMb} MB`,
				isReached: peakMb < targetMb,
				ifNot: `After its start it had ${mb(begin)}.`,
			},
		],
	};
}
