import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMachine, loadNow, quietLoad, versionOf } from "../machine.ts";
import { countStatements, describeDurability } from "./installation.store.ts";
import { measureMemory } from "./memory.ts";
import { type Options, type Part, parts, readOptions } from "./options.ts";
import { comparePasswords } from "./passwords.ts";
import { comparePeople } from "./people.ts";
import { printStatements } from "./print-statements.ts";
import { renderPage, type Section, verdictTable } from "./report.ts";
import { compareCodeFlow, compareRefresh, compareWithoutRsa, openField } from "./side-by-side.ts";
import { openStage, type Stage } from "./stage.ts";

const page = join(import.meta.dirname, "../../docs/generated/bench-sign-on.md");

/** The bench of the sign-on service. Writes its page when every part was run; with `--only` it prints and writes nothing. */
export async function signOn(words: readonly string[]): Promise<void> {
	const options = readOptions(words);
	const load = loadNow();
	const isQuiet = load < quietLoad;
	if (!isQuiet)
		console.log(`The machine is not quiet (load ${load.toFixed(2)}): the figures will not be final.`);
	process.once("SIGINT", () => process.exit(130));
	const date = new Date();
	const stage = await openStage(options);
	try {
		const durability = await describeDurability(stage.adminUrl);
		if (options.isProfiled) await countStatements(stage.adminUrl);
		const sections = await runParts(stage, options.only);
		if (options.isProfiled) {
			await printStatements(stage.adminUrl, ["bench_compared_rs256", "bench_oidc_provider_rs256"]);
			return;
		}
		console.log(`\n${verdictTable(sections)}\n`);
		if (options.only.length < Object.keys(parts).length) return;
		const command = ["npm run bench -- sign-on", ...words].join(" ");
		const versions = describeVersions();
		const placing = describePlacing(stage, options);
		const machine = describeMachine();
		writeFileSync(
			page,
			renderPage({ command, date, machine, versions, durability, placing, load, isQuiet, sections }),
		);
		console.log("Wrote docs/generated/bench-sign-on.md");
	} finally {
		await stage.close();
	}
}

/** The parts that stand side by side share their servers; the others start their own, when those are gone. */
async function runParts(stage: Stage, only: readonly Part[]): Promise<Section[]> {
	const sections: Section[] = [];
	const add = async (part: Part, work: () => Promise<Section>) => {
		if (!only.includes(part)) return;
		const section = await work();
		console.log(`\n## ${section.title}\n\n${section.text}`);
		sections.push(section);
	};
	if ((["code-flow", "refresh", "passwords"] as const).some((part) => only.includes(part))) {
		const field = await openField(stage, "RS256");
		await add("code-flow", () => compareCodeFlow(stage, field));
		await add("refresh", () => compareRefresh(stage, field));
		await add("passwords", () => comparePasswords(stage, field));
		await field.close();
	}
	await add("es256", () => compareWithoutRsa(stage));
	await add("memory", () => measureMemory(stage));
	await add("people", () => comparePeople(stage));
	return sections;
}

function describeVersions(): string {
	const packages = ["oidc-provider", "fastify", "pg"].map((name) => `${name} ${versionOf(name)}`);
	return [`Node ${process.versions.node}`, "PostgreSQL 18", ...packages].join(", ");
}

function describePlacing({ cores }: Stage, { isPinned }: Options): string {
	if (cores.isSplit)
		return `the measured server alone on core ${cores.server}; PostgreSQL, the driver and the stand-in for the subscription service on ${cores.rest} (sign-ins by password: everything on every core)`;
	return isPinned ? "not pinned: this machine offers no taskset, or one core" : "not pinned, as asked for";
}
