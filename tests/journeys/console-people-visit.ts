import type { Page } from "playwright-core";
import type { SharedConsole } from "./console-visit.ts";

const password = "Karibu-2026!";

/** A person's access token, by the sign-on service alone: to prepare what a journey is about. */
export async function tokenOf({ urls }: SharedConsole, email: string): Promise<string> {
	const answer = await fetch(`${urls.auth}/api/v1/auth/login`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ email, password, tenant_slug: "" }),
	});
	if (!answer.ok) throw new Error(`${email} does not sign in: ${await answer.text()}`);
	const { access_token } = (await answer.json()) as { access_token: string };
	return access_token;
}

/** The number of sessions of the person whose token this is. */
export async function countSessions({ urls }: SharedConsole, token: string): Promise<number> {
	const headers = { authorization: `Bearer ${token}` };
	const answer = await fetch(`${urls.auth}/api/v1/auth/sessions?limit=100`, { headers });
	if (!answer.ok) throw new Error(`the sessions are not listed: ${await answer.text()}`);
	return ((await answer.json()) as { items: unknown[] }).items.length;
}

/** Ends all sessions of a person. */
export async function endSessions(stand: SharedConsole, email: string): Promise<void> {
	const answer = await fetch(`${stand.urls.auth}/api/v1/auth/sessions`, {
		method: "DELETE",
		headers: { authorization: `Bearer ${await tokenOf(stand, email)}` },
	});
	if (!answer.ok) throw new Error(`the sessions of ${email} do not end: ${await answer.text()}`);
}

/** Opens an outlet of Uhai Hospital, as its administrator. */
export async function openOutlet(
	stand: SharedConsole,
	outlet: { code: string; name: string },
): Promise<void> {
	const answer = await fetch(`${stand.urls.auth}/api/v1/tenants/uhai/outlets`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${await tokenOf(stand, "admin@uhai.example")}`,
			"content-type": "application/json",
		},
		body: JSON.stringify({ ...outlet, use_case: "services" }),
	});
	if (!answer.ok) throw new Error(`${outlet.name} is not opened: ${await answer.text()}`);
}

/** Asks to join a tenant as somebody new. */
export async function askToJoin({ urls }: SharedConsole, slug: string, name: string): Promise<void> {
	const answer = await fetch(`${urls.auth}/api/v1/auth/register`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			name,
			email: `${name.toLowerCase().replaceAll(" ", ".")}@people.example`,
			password,
			org_action: "join_existing",
			tenant_slug: slug,
		}),
	});
	if (!answer.ok) throw new Error(`${name} could not ask: ${await answer.text()}`);
}

/** Goes by the navigation, beside the page or in the drawer of a phone. */
export async function open(page: Page, name: string): Promise<void> {
	const menu = page.getByRole("button", { name: "Menu", exact: true });
	if (await menu.isVisible()) await menu.click();
	await page
		.getByRole("navigation", { name: "Console pages" })
		.getByRole("link", { name, exact: true })
		.click();
}

/** The names in the first column of the list that is shown now. */
export async function namesIn(page: Page): Promise<string[]> {
	const names = await page.getByRole("rowheader").allInnerTexts();
	return names.map((text) => text.split("\n", 1)[0]?.trim() ?? "");
}
