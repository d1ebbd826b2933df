import { chassisFailures } from "@lango/chassis";
import { type OutletSetting, outletSettings } from "@lango/contracts";
import { Compile } from "typebox/compile";

/** Bounded because every event contains all settings. */
const settingsBytesMax = 16 * 1024;
const secretNames =
	/passw(or)?d|passphrase|passcode|secret|token|credential|private|(^|_)(api)?key(s)?(_|$)|apikey|(^|_)pins?(_|$)|(^|_)cvv(_|$)/;

type Settings = Readonly<Record<string, unknown>>;
type Setting = Omit<OutletSetting, "schema"> & { isValid: (value: unknown) => boolean };

/**
 * The settings of each use case with their shapes compiled: an anonymous list of 500 outlets checks
 * thousands of values.
 */
const tables = new Map(
	Object.entries(outletSettings).map(([useCase, table]) => [
		useCase,
		new Map(Object.entries(table).map(compiled)),
	]),
);

function compiled([name, { schema, ...rest }]: [string, OutletSetting]): [string, Setting] {
	const shape = Compile(schema);
	return [name, { ...rest, isValid: (value) => shape.Check(value) }];
}

const settingOf = (useCase: string, name: string): Setting | undefined => tables.get(useCase)?.get(name);

/**
 * Checks the settings of an outlet against the table of its use case. Throws `invalid_input` naming the
 * first wrong member: one that looks like a secret, one that the use case does not have, or one with a
 * wrong value.
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
	const setting = settingOf(useCase, name);
	if (setting === undefined)
		throw wrong(`settings.${name}`, `is not a setting of outlets of the use case ${useCase}`);
	if (!setting.isValid(value)) throw wrong(`settings.${name}`, setting.rule);
}

/** Whether a member's name says that its value is secret, in any spelling: `apiKey`, `api-key`, `API_KEY`. */
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

/**
 * The public settings. A stored member is not public if the use case does not have it or if its value does
 * not have the shape: an address that was stored before the table may contain anything.
 */
export function publicSettings(useCase: string, settings: Settings): Record<string, unknown> {
	const isPublic = ([name, value]: [string, unknown]): boolean => {
		const setting = settingOf(useCase, name);
		return setting?.isPublic === true && setting.isValid(value);
	};
	return Object.fromEntries(Object.entries(settings).filter(isPublic));
}
