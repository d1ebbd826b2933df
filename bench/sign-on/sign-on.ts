import { type Facts, type Run, reportBench } from "../report.ts";
import { countStatements, describeDurability } from "./installation.store.ts";
import { measureMemory } from "./memory.ts";
import { type Options, readOptions } from "./options.ts";
import { comparePasswords } from "./passwords.ts";
import { comparePeople } from "./people.ts";
import { printStatements } from "./print-statements.ts";
import { compareCodeFlow, compareRefresh, compareWithoutRsa, openField } from "./side-by-side.ts";
import { openStage, type Stage } from "./stage.ts";

/**
 * Measures the sign-on service. After a run of all parts at full size it writes its page, otherwise it only
 * prints.
 */
export function signOn(words: readonly string[]): Promise<void> {
	return reportBench("sign-on", words, (run) => measure(run, words));
}

async function measure({ add }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const options = readOptions(words);
	const stage = await openStage(options);
	try {
		const durability = await describeDurability(stage.adminUrl);
		if (options.isProfiled) await countStatements(stage.adminUrl);
		await runParts(stage, add);
		if (options.isProfiled)
			await printStatements(stage.adminUrl, ["bench_compared_rs256", "bench_oidc_provider_rs256"]);
		const cores = describePlacing(stage, options);
		return options.isWhole
			? {
					packages: ["oidc-provider", "fastify", "pg"],
					lines: { "database, the same for all": durability, cores },
				}
			: undefined;
	} finally {
		await stage.close();
	}
}

/** The comparisons share their servers. The other parts then start their own. */
async function runParts(stage: Stage, add: Run["add"]): Promise<void> {
	const { only } = stage.options;
	if ((["code-flow", "refresh", "passwords"] as const).some((part) => only.includes(part))) {
		const field = await openField(stage, "RS256");
		if (only.includes("code-flow")) add(await compareCodeFlow(stage, field));
		if (only.includes("refresh")) add(await compareRefresh(stage, field));
		if (only.includes("passwords")) add(await comparePasswords(stage, field));
		await field.close();
	}
	if (only.includes("es256")) add(await compareWithoutRsa(stage));
	if (only.includes("memory")) add(await measureMemory(stage));
	if (only.includes("people")) add(await comparePeople(stage));
}

function describePlacing({ cores }: Stage, { isPinned }: Options): string {
	if (cores.isSplit)
		return `the measured server alone on core ${cores.server}; PostgreSQL, the driver and the test double of the subscription service on ${cores.rest} (sign-ins by password: everything on every core)`;
	return isPinned ? "not pinned: the machine has no taskset, or one core" : "not pinned (--no-pin)";
}
