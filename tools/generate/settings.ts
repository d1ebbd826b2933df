import { type ServiceDefinition, type Setting, settingsOf, variableOf } from "@lango/chassis";
import type { Parts } from "../up/parts.ts";
import { prefixOf } from "../up/parts.ts";
import { notice, toPage, toTable } from "./table.ts";

type Line = { variable: string; kind: string; value: string; because: string };

/** docs/generated/settings.md: every variable that is read, with its default and what happens without it. */
export function describeSettings(parts: Parts): string {
	const groups = groupsOf(parts).flatMap(([title, lines]) => [
		`## ${title}`,
		toTable(
			["variable", "kind", "default", "what it is for"],
			lines.map(({ variable, kind, value, because }) => [
				`\`${variable}\``,
				kind,
				value === "" ? "–" : `\`${value}\``,
				because,
			]),
		),
	]);
	return toPage([
		notice,
		"# Settings",
		"Variables with no default must be given, unless they say otherwise; `npm start` makes the secrets it needs.",
		...groups,
	]);
}

/** .env.example: the same, as a file to copy; everything in it is commented out, because every default works. */
export function describeEnvironment(parts: Parts): string {
	const groups = groupsOf(parts).map(([title, lines]) => {
		const texts = lines.map(
			({ variable, value, because }) => `# ${because.replaceAll("\n", " ")}\n#${variable}=${value}`,
		);
		return [`# --- ${title} ---`, ...texts].join("\n");
	});
	const intro =
		"# Copy to .env what you want otherwise; npm start reads it. Made by npm run generate, never edited.";
	return toPage([intro, ...groups]);
}

/** Settings that several services read are listed once, before the services. */
function groupsOf({ services, pages }: Parts): ReadonlyArray<readonly [title: string, lines: Line[]]> {
	const each = services.map(({ service }) => [service.name, linesOf(service)] as const);
	const times = Map.groupBy(
		each.flatMap(([, lines]) => lines),
		({ variable }) => variable,
	);
	const isShared = ({ variable }: Line) => (times.get(variable)?.length ?? 0) > 1;
	const shared = [...times.values()].filter((lines) => lines.length > 1).flatMap(([first]) => first ?? []);
	const ports = pages.flatMap(({ name, folder, port }) => [
		{
			variable: `${prefixOf(name)}_PORT`,
			kind: "whole number",
			value: String(port),
			because: `the port that ${folder} is served on`,
		},
		{
			variable: `${prefixOf(name)}_HOST`,
			kind: "text",
			value: "localhost",
			because: `the address that ${folder} is served on by tools/serve-pages.ts; 0.0.0.0 in a container`,
		},
	]);
	const told = new Set(pages.flatMap(({ settings }) => Object.keys(settings({})).map(variableOfKey)));
	const addresses = [...told]
		.filter((variable) => !times.has(variable))
		.map((variable) => ({
			variable,
			kind: "address",
			value: "",
			because: "where this service is to a browser; told to pages, and by npm start made from its port",
		}));
	return [
		["npm start, pages and tools", [...own, ...ports, ...addresses]],
		["every service", shared],
		...each.map(([name, lines]) => [name, lines.filter((line) => !isShared(line))] as const),
	];
}

/** `authUrl` → `AUTH_URL`. */
const variableOfKey = (key: string) => key.replaceAll(/[A-Z]/g, "_$&").toUpperCase();

const own: readonly Line[] = [
	{
		variable: "DATABASE_URL",
		kind: "address",
		value: "",
		because:
			"an administrator of a PostgreSQL 15 or later to use instead of Lango's own; also used by npm test",
	},
];

function linesOf(service: ServiceDefinition): Line[] {
	const { prefix, table } = settingsOf(service);
	const lines = Object.entries(table).map(([name, setting]) => ({
		variable: variableOf(prefix, name, setting),
		kind: setting.kind,
		value: defaultOf(setting),
		because: setting.optional === true ? `${setting.because} (may be unset)` : setting.because,
	}));
	return [...lines, migrationLine(prefix)];
}

/** Not read by the service: it may not change its own tables. */
const migrationLine = (prefix: string): Line => ({
	variable: `${prefix}_MIGRATION_DATABASE_URL`,
	kind: "text",
	value: "",
	because:
		"the same database, as the owner of its tables; read by npm run migrate and npm start, which else derive both from DATABASE_URL",
});

function defaultOf({ default: value }: Setting<unknown>): string {
	if (value === undefined) return "";
	return Array.isArray(value) ? value.join(",") : String(value);
}
