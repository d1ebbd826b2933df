import { createContext, useContext } from "react";

/** The settings from /settings.json, which are read when the pages start. */
export type Settings = {
	/** The address of the sign-on service without a trailing slash, e.g. "http://localhost:4000". */
	authUrl: string;
	/** The address of the subscription service. Without it the registration offers no plans. */
	subscriptionsUrl: string | undefined;
	/** The address of the console, where members work. */
	consoleUrl: string | undefined;
	/** The language for browsers that prefer no supported language. */
	language: string | undefined;
};

const timeoutMilliseconds = 10_000;

/** Reads the settings. Throws if they cannot be read or an address is missing or invalid. */
export async function readSettings(): Promise<Settings> {
	const response = await fetch("/settings.json", { signal: AbortSignal.timeout(timeoutMilliseconds) });
	if (!response.ok) throw new Error(`/settings.json responded with ${response.status}.`);
	const { authUrl, subscriptionsUrl, consoleUrl, language }: Record<string, unknown> = await response.json();
	return {
		authUrl: toAddress("authUrl", authUrl),
		subscriptionsUrl:
			subscriptionsUrl === undefined ? undefined : toAddress("subscriptionsUrl", subscriptionsUrl),
		consoleUrl: consoleUrl === undefined ? undefined : toAddress("consoleUrl", consoleUrl),
		language: typeof language === "string" ? language : undefined,
	};
}

function toAddress(name: string, value: unknown): string {
	const url = typeof value === "string" ? URL.parse(value) : null;
	if (url === null) throw new Error(`/settings.json: ${name} is not an address.`);
	return url.href.replace(/\/+$/, "");
}

export const SettingsContext = createContext<Settings | undefined>(undefined);

/** Returns the settings. Throws an Error outside a SettingsContext. */
export function useSettings(): Settings {
	const settings = useContext(SettingsContext);
	if (settings === undefined) throw new Error("useSettings needs a SettingsContext above it.");
	return settings;
}
