import { chassisFailures } from "@lango/chassis";
import { type OutletSetting, outletSettings } from "@lango/contracts";
import Value from "typebox/value";

/** The whole goes out with every event, so it stays small. */
const settingsBytesMax = 16 * 1024;
const secretNames =
	/passw(or)?d|passphrase|passcode|secret|token|credential|private|(^|_)(api)?key(s)?(_|$)|apikey|(^|_)pins?(_|$)|(^|_)cvv(_|$)/;

type Settings = Readonly<Record<string, unknown>>;
const tableOf = (useCase: string): Readonly<Record<string, OutletSetting>> =>
	Object.hasOwn(outletSettings, useCase) ? outletSettings[useCase as keyof typeof outletSettings] : {};

/**
 * Checks the settings of an outlet against the table of its use case. Throws `invalid_input` naming the first wrong member:
 * one that looks like a secret, one that the use case does not have, or one with a wrong value.
 */
export function requireUsableSettings(useCase: string, settings: Settings): void {
	if (Buffer.byteLength(JSON.stringify(settings)) > settingsBytesMax)
		throw wrong("settings", `has at most ${settingsBytesMax} bytes`);
	for (const [name, value] of Object.entries(settings)) requireUsableMember(useCase, { name, value });
}

function requireUsableMember(useCase: string, { name, value }: { name: string; value: unknown }): void {
	const secret = [name, ...namesWithin(value)].find(looksLikeSecret);
	if (secret !== undefined)
		throw wrong(
			`settings.${name}`,
			"looks like a secret. Settings are copied to every service; keep secrets in the service that uses them",
		);
	const table = tableOf(useCase);
	const setting = Object.hasOwn(table, name) ? table[name] : undefined;
	if (setting === undefined)
		throw wrong(`settings.${name}`, `is not a setting of outlets of the use case ${useCase}`);
	if (!Value.Check(setting.schema, value)) throw wrong(`settings.${name}`, setting.rule);
}

/** Whether a member's name says that its value is secret, in whatever spelling: `apiKey`, `api-key`, `API_KEY`. */
const looksLikeSecret = (name: string): boolean =>
	secretNames.test(
		name
			.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
			.toLowerCase()
			.replace(/[^a-z0-9]+/g, "_"),
	);

function namesWithin(value: unknown): string[] {
	if (typeof value !== "object" || value === null) return [];
	const own = Array.isArray(value) ? [] : Object.keys(value);
	return [...own, ...Object.values(value).flatMap(namesWithin)];
}

const wrong = (field: string, rule: string) =>
	chassisFailures.invalid_input({ message: `${field} ${rule}.`, fields: { field, in: "body" } });

/** The settings that anybody may read. A stored member that the use case does not have is not public. */
export function publicSettings(useCase: string, settings: Settings): Record<string, unknown> {
	const table = tableOf(useCase);
	return Object.fromEntries(
		Object.entries(settings).filter(([name]) => Object.hasOwn(table, name) && table[name]?.isPublic === true),
	);
}
