import { createContext, useContext } from "react";

/** What the pages are told when they start, from /settings.json. */
export type Settings = {
	/** The sign-on service, without a slash at the end, for example "http://localhost:4000". */
	authUrl: string;
	/** The subscription service, which knows the plans; without it registering asks for none. */
	subscriptionsUrl: string | undefined;
	/** The language for people whose browser asks for none the pages have. */
	language: string | undefined;
};

const timeoutMilliseconds = 10_000;

/** Reads the settings this page was served with. Throws when they cannot be had or name no sign-on service. */
export async function readSettings(): Promise<Settings> {
	const answer = await fetch("/settings.json", { signal: AbortSignal.timeout(timeoutMilliseconds) });
	if (!answer.ok) throw new Error(`/settings.json answered ${answer.status}.`);
	const { authUrl, subscriptionsUrl, language }: Record<string, unknown> = await answer.json();
	return {
		authUrl: toAddress("authUrl", authUrl),
		subscriptionsUrl:
			subscriptionsUrl === undefined ? undefined : toAddress("subscriptionsUrl", subscriptionsUrl),
		language: typeof language === "string" ? language : undefined,
	};
}

function toAddress(name: string, value: unknown): string {
	const url = typeof value === "string" ? URL.parse(value) : null;
	if (url === null) throw new Error(`/settings.json: ${name} is not an address.`);
	return url.href.replace(/\/+$/, "");
}

export const SettingsContext = createContext<Settings | undefined>(undefined);

/** The settings, in any page. */
export function useSettings(): Settings {
	const settings = useContext(SettingsContext);
	if (settings === undefined) throw new Error("A page was shown outside the settings.");
	return settings;
}
