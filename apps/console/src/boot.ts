/**
 * What runs before the pages of the console are loaded. A tab without a session leaves for the sign-on
 * service at once, and loads the pages after the return.
 */
import "./styles.css";
import { restoreTheme, setFallbackLanguage } from "@lango/interface";
import { leaveAtOnce } from "./gate/leave.ts";
import type { Platform } from "./platform.ts";
import { createConsoleClient } from "./session/create-console-client.ts";
import { readSettings } from "./settings.ts";

const loadPages = () => import("./show-pages.tsx");
/** Payers without an account: their page has no session, and a visit of it signs no one in. */
const isPayPage = location.pathname.startsWith("/pay/");
const isCallback = location.pathname.endsWith("/auth/callback");

restoreTheme();
setFallbackLanguage(undefined);
// The address of a callback always needs the pages: they are loaded beside the settings.
if (isCallback) loadPages().catch(reportError);
await start().catch(async (cause: unknown) => (await loadPages()).showBroken(cause));

async function start(): Promise<void> {
	const settings = await readSettings();
	setFallbackLanguage(settings.language);
	if (isPayPage) return (await import("./pages/pay/show-pay-page.tsx")).showPayPage(settings);
	const platform: Platform = { settings, client: createConsoleClient(settings) };
	if (!isCallback) await platform.client.start();
	if (!isCallback && (await leaveAtOnce(platform))) return reloadWhenShownAgain();
	(await loadPages()).showPages(platform);
}

/** After "back" from the sign-in page the browser may show this document as it was, without its scripts. */
function reloadWhenShownAgain(): void {
	addEventListener("pageshow", ({ persisted }) => {
		if (persisted) location.reload();
	});
}
