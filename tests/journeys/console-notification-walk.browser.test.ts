import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { enter, openPath, openSharedConsole, type SharedConsole } from "./console-visit.ts";

// Every page of the notification service in both languages: what reads the same in both is a name or a value,
// never a sentence, and nothing is too wide.

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

type Language = "en" | "sw";

/**
 * The texts and labels of a page, without those that people or programs wrote, once it is loaded: an option
 * with an id or an identifier of a time zone shows a name.
 */
async function textsOf(page: Page): Promise<string[]> {
	for (const loading of ["Loading…", "Inaletwa…"])
		await expect.poll(() => page.getByText(loading).count(), patience).toBe(0);
	return page.evaluate(`(() => {
		const found = new Set();
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const { parentElement: parent, data } = walker.currentNode;
			if (/^[0-9a-f-]{36}$|[/]/.test(parent.closest("option")?.value ?? "")) continue;
			if (parent.closest("script, noscript, style, code, pre, textarea, .cm-editor, [translate=no], [lang]:not(html)")) continue;
			found.add(data.trim());
		}
		for (const name of ["aria-label", "title", "placeholder", "alt"])
			for (const one of document.querySelectorAll("[" + name + "]")) found.add(one.getAttribute(name).trim());
		return [...found];
	})()`);
}

/** Opens pages one after the other in a language. Returns the texts of each. */
async function walk(
	page: Page,
	paths: readonly string[],
	language: Language,
): Promise<Map<string, string[]>> {
	await page.setViewportSize(language === "en" ? { width: 1280, height: 900 } : { width: 390, height: 844 });
	await page.evaluate(`document.cookie = "lango-language=${language}; path=/"`);
	await page.reload();
	const texts = new Map<string, string[]>();
	for (const path of paths) {
		await page.locator("h1").first().waitFor();
		await openPath(page, path);
		await page.locator("h1").first().waitFor();
		texts.set(path, await textsOf(page));
		const beyond = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
		expect(beyond, `${path} ${language}`).toBeLessThanOrEqual(0);
	}
	return texts;
}

/** The texts of a page that are the same in both languages, and look like words of a sentence. */
function untranslated(english: readonly string[], swahili: readonly string[]): string[] {
	const other = new Set(swahili);
	return english.filter((text) => other.has(text) && /[a-z]{2}/.test(text) && !isNeutral(text));
}

const isNeutral = (text: string): boolean => neutral.some((one) => one.test(text));
/** Names, addresses, codes and values, which have no language. */
const neutral: readonly RegExp[] = [
	/^[a-z][a-z0-9_./-]*$/,
	/^[0-9a-f-]{36}$/,
	/^\S+@\S+$/,
	/^\d{1,2}\s\w{3}\s\d{4}(\D+\d\d:\d\d)?$/,
	/^(Lango|Uhai Hospital|Kahawa Café|Duka Mart|Headquarters|Ward Block|Pharmacy)$/,
	/^(Asha Mwangi|Peter Barasa|Njeri Kamau|Rehema Otieno)$/,
	/^Ksh\s[\d,.]+$/,
	/^(WhatsApp Cloud API|Twilio|Africa’s Talking|Firebase Cloud Messaging|Postmark|SMTP)$/,
	// Organisations that other tests registered.
	/^(Mto|Soko)\b/,
];

/** Walks through pages in both languages. `written` are texts in the language of their writers. */
async function compare(
	page: Page,
	paths: readonly string[],
	written: () => Promise<ReadonlySet<string>>,
): Promise<void> {
	const [english, swahili] = [await walk(page, paths, "en"), await walk(page, paths, "sw")];
	const theirs = await written();
	const found = paths.flatMap((path) =>
		untranslated(english.get(path) ?? [], swahili.get(path) ?? [])
			.filter((text) => !theirs.has(text))
			.map((text) => `${path}: ${text}`),
	);
	expect(found).toEqual([]);
}

type Person = { email: string; slug: string };

/** Calls the notification service as a person. */
async function ask<T>({ email, slug }: Person, path: string, body?: object): Promise<T> {
	const post = (url: string, sent: object, headers = {}) =>
		fetch(url, {
			method: "POST",
			headers: { "content-type": "application/json", ...headers },
			body: JSON.stringify(sent),
		});
	const { urls } = stand;
	const credentials = { email, password: "Karibu-2026!", tenant_slug: slug };
	const login = await post(`${urls.auth}/api/v1/auth/login`, credentials);
	const { access_token: token } = (await login.json()) as { access_token: string };
	const headers = { authorization: `Bearer ${token}` };
	const url = `${urls.notifications}/api/v1/${slug}/notifications${path}`;
	const answer = await (body === undefined ? fetch(url, { headers }) : post(url, body, headers));
	expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
	return (await answer.json()) as T;
}
type Listed = { items: Array<{ id: string; title?: string; body?: string; name?: string }> };
const firstOf = async (person: Person, path: string) => (await ask<Listed>(person, path)).items[0]?.id ?? "";

const message = {
	...{ channel: "email", template: "shared/generic_notification", to: ["walk@example.com"] },
	data: { name: "Asha", title: "Stock", message: "Only 3 left.", action_link: "https://lango.example/x" },
};

const admin = { email: "admin@uhai.example", slug: "uhai" };
/**
 * The titles and texts in the inbox of a person, and the names of people: other tests add some. The platform
 * itself has no inboxes.
 */
const namesAndInbox = async (person: Person): Promise<ReadonlySet<string>> => {
	if (person.slug === "lango") return new Set();
	const lists = await Promise.all(
		["/inbox?limit=100", "/users?limit=100"].map((path) => ask<Listed>(person, path)),
	);
	const texts = lists.flatMap(({ items }) => items.flatMap(({ title, body, name }) => [title, body, name]));
	return new Set(texts.map((text = "") => text.trim()));
};
const visitAs = (person: Person, paths: readonly string[]) =>
	stand.visit(async (page) => {
		const { email, slug } = person;
		await enter(page, `${stand.urls.console}/${slug}`, { email });
		const at = paths.map((path) => `/${slug}/${path}`);
		await compare(page, at, () => namesAndInbox(person));
	});

test("an administrator's pages of messages and of everybody's own things are translated and accessible", async () => {
	const { requestId } = await ask<{ requestId: string }>(admin, "/messages", message);
	const delivery = await firstOf(admin, `/messages/${requestId}/deliveries`);
	await visitAs(admin, [
		...["inbox", "preferences", "messages", "messages/statistics", "messages/redrives"],
		...[`messages/${requestId}`, `messages/${requestId}/deliveries/${delivery}`, "suppressions"],
	]);
});

test("an administrator's pages that decide what is sent are translated and accessible", async () => {
	const trigger = await firstOf(admin, "/triggers");
	await visitAs(admin, [
		...["preference-defaults", "limits", "credits", "providers", "triggers", "triggers/new"],
		...["triggers/digests", `triggers/${trigger}`],
		...["templates", "templates/new", "templates/shared/generic_notification"],
	]);
});

test("the platform owner's pages of notifications are translated and accessible", async () => {
	const owner = { email: "root@lango.example", slug: "lango" };
	const { id } = (await (await fetch(`${stand.urls.auth}/api/v1/tenants/by-slug/lango`)).json()) as {
		id: string;
	};
	const provider = await firstOf(owner, `/providers?tenantId=${id}`);
	const names = ["templates", "templates/new", "templates/sign_on/email_verification", "providers"];
	const more = [`providers/${provider}`, "deliverability", "deliverability/uhai", "credits"];
	await visitAs(
		owner,
		[...names, ...more].map((name) => `platform/${name}`),
	);
});
