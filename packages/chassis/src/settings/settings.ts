/** The source of settings: the environment, or a table of a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value that is not shown in logs, errors or JSON. */
export class Secret {
	readonly #value: string;
	constructor(value: string) {
		this.#value = value;
	}
	reveal(): string {
		return this.#value;
	}
	toString(): string {
		return "[secret]";
	}
	toJSON(): string {
		return "[secret]";
	}
	[Symbol.for("nodejs.util.inspect.custom")](): string {
		return "[secret]";
	}
}

/** One setting: how it is read, its default, and its purpose. */
export type Setting<T> = {
	read: (text: string) => T;
	/** Used when the variable is unset. A setting without a default is required unless it is optional. */
	default?: T;
	optional?: boolean;
	/**
	 * The variable's name if it is not `<PREFIX>_<NAME>`: names of the specification, or shared by all
	 * services.
	 */
	env?: string;
	/** Its purpose, and what happens without it. */
	because: string;
	kind: string;
};

type Options<T> = { because: string; default?: T; env?: string };
type OptionalOptions = { because: string; env?: string; optional: true };

function reader<T>(kind: string, read: (text: string) => T) {
	function setting(options: OptionalOptions): Setting<T | undefined>;
	function setting(options: Options<T>): Setting<T>;
	function setting(options: Options<T> | OptionalOptions): Setting<T> | Setting<T | undefined> {
		return { kind, read, ...options };
	}
	return setting;
}

export const text = reader("text", (value) => value);
export const flag = reader("true or false", (value) => {
	if (value !== "true" && value !== "false") throw new Error("is true or false");
	return value === "true";
});
/** An absolute http(s) address, without a trailing slash. */
export const url = reader("address", (value) => {
	const { protocol } = new URL(value);
	if (protocol !== "http:" && protocol !== "https:") throw new Error("is an http or https address");
	return value.replace(/\/+$/, "");
});
/** Words separated by commas; empty ones are ignored. */
export const list = reader("list, by commas", (value): readonly string[] =>
	value
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== ""),
);
export const secret = reader("secret", (value) => new Secret(value));

/** A whole number within its bounds. */
export function integer(options: Options<number> & { min?: number; max?: number }): Setting<number> {
	const { min = 0, max = Number.MAX_SAFE_INTEGER, ...rest } = options;
	const read = (value: string) => {
		const number = Number(value);
		if (!/^-?\d+$/.test(value) || number < min || number > max)
			throw new Error(`is a whole number from ${min} to ${max}`);
		return number;
	};
	return { kind: "whole number", read, ...rest };
}

/** One of the given words. */
export function oneOf<const W extends string>(words: readonly W[], options: Options<NoInfer<W>>): Setting<W> {
	const read = (value: string): W => {
		const found = words.find((word) => word === value);
		if (found === undefined) throw new Error(`is one of ${words.join(", ")}`);
		return found;
	};
	return { kind: words.join(", "), read, ...options };
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;
export type SettingsDefinition<T extends SettingsTable = SettingsTable> = { prefix: string; table: T };
export type SettingsOf<T extends SettingsTable> = {
	readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never;
};

/**
 * Declares the settings of a service. Variables are `<PREFIX>_<NAME>` unless a setting names another one.
 */
export function defineSettings<const T extends SettingsTable>(
	prefix: string,
	table: T,
): SettingsDefinition<T> {
	return { prefix, table };
}

/** The variable of a setting. */
export function variableOf(prefix: string, name: string, { env }: Setting<unknown>): string {
	return env ?? `${prefix}_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** All faults of the settings, one per line. */
export class SettingsError extends Error {
	constructor(faults: readonly string[]) {
		super(`the settings are not usable:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
		this.name = "SettingsError";
	}
}

/**
 * Reads all settings of a table, frozen. Throws SettingsError naming every fault; values of secrets are
 * never shown.
 */
export function readSettings<T extends SettingsTable>(
	{ prefix, table }: SettingsDefinition<T>,
	environment: Environment,
): SettingsOf<T> {
	const faults: string[] = [];
	const values = Object.entries(table).map(([name, setting]) => {
		const variable = variableOf(prefix, name, setting);
		const { value, fault } = readSetting(setting, environment[variable]);
		if (fault !== undefined) faults.push(`${variable} ${fault}`);
		return [name, value];
	});
	if (faults.length > 0) throw new SettingsError(faults);
	return Object.freeze(Object.fromEntries(values)) as SettingsOf<T>;
}

type Reading = { value?: unknown; fault?: string };

function readSetting(setting: Setting<unknown>, given: string | undefined): Reading {
	if (given === undefined || given === "") {
		const isMissing = setting.default === undefined && setting.optional !== true;
		return isMissing ? { fault: `is missing: ${setting.because}` } : { value: setting.default };
	}
	try {
		return { value: setting.read(given) };
	} catch (error) {
		const shown = setting.kind === "secret" ? "" : ` (it is "${given.slice(0, 80)}")`;
		const fault = error instanceof TypeError ? "is an absolute address" : (error as Error).message;
		return { fault: `${fault}${shown}` };
	}
}
