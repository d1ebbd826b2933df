/**
 * What runs before the pages of the console. It continues the session of the browser beside the loading of
 * the pages; without one, the tab leaves for the sign-on service.
 */
import "./styles.css";
import {
	keepEntriesFor,
	keepFocus,
	keepShell,
	restoreTheme,
	setFallbackLanguage,
	shareChoices,
	untilReachable,
} from "@lango/interface";
import { continueSession, leaveAtOnce } from "./gate/leave.ts";
import type { Platform } from "./platform.ts";
import { createConsoleClient } from "./session/create-console-client.ts";
import { isSessionLikely } from "./session/session-hint.ts";
import { untilSettled } from "./session/until-settled.ts";
import { readSettings } from "./settings.ts";

const loadPages = () => import("./show-pages.tsx");
const loadPayPage = () => import("./pages/pay/show-pay-page.tsx");
/** Loads the code of the pages, and then that of the page of the address. A failure shows itself later. */
const preparePages = () => loadPages().then((pages) => pages.preparePages(), reportError);
/** Payers without an account: their page has no session, and a visit of it signs no one in. */
const isPayPage = location.pathname.startsWith("/pay/");
/** The code that shows something: that of a payer is small. */
const shown = () => (isPayPage ? loadPayPage() : loadPages());
const isCallback = location.pathname.endsWith("/auth/callback");

restoreTheme();
keepFocus();
setFallbackLanguage(undefined);
await start().catch(async (cause: unknown) => (await loadPages()).showBroken(cause));

async function start(): Promise<void> {
	const settings = await untilReachable(readSettings, async () => (await shown()).showOffline());
	setFallbackLanguage(settings.language);
	shareChoices(settings.authUrl);
	if (isPayPage) {
		keepEntriesFor("payer");
		(await loadPayPage()).showPayPage(settings);
		return keepShell();
	}
	const platform: Platform = { settings, client: createConsoleClient(settings) };
	keepEntriesOf(platform.client);
	// The session is asked for first: its answer is small, and all that is shown waits for it.
	const session = isCallback ? undefined : continueSession(platform.client);
	// A person who leaves to sign in does not wait for pages that they do not see yet.
	if (isCallback || isSessionLikely()) void preparePages();
	await session;
	if (!isCallback && (await leaveAtOnce(platform))) return reloadWhenShownAgain();
	await Promise.all([preparePages(), untilSettled(platform.client)]);
	(await loadPages()).showPages(platform);
	await keepShell();
}

/** What a person enters is kept for them alone, also while their session has ended. */
function keepEntriesOf({ subscribe, getState }: Platform["client"]): void {
	subscribe(() => {
		const state = getState();
		if (state.status === "ready" || state.status === "pending") keepEntriesFor(state.profile.userId);
	});
}

/** After "back" from the sign-in page the browser may show this document as it was, without its scripts. */
function reloadWhenShownAgain(): void {
	addEventListener("pageshow", ({ persisted }) => {
		if (persisted) location.reload();
	});
}
