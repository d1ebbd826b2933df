import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { countSessions, endSessions, tokenOf } from "./console-people-visit.ts";
import {
	enter,
	faultsInThemes,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
	signIn,
} from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };
const phone = { width: 360, height: 740, touch: true } as const;

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;

/** Goes by the navigation, beside the page or in the drawer of a phone. */
async function open(page: Page, name: string): Promise<void> {
	const menu = page.getByRole("button", { name: "Menu", exact: true });
	if (await menu.isVisible()) await menu.click();
	await page.getByRole("link", { name, exact: true }).click();
}

test("loading pages makes no session; of several devices one is signed out after a question, then all others", () =>
	visit(async (page, window) => {
		await endSessions(stand, admin.email);
		const token = await tokenOf(stand, admin.email);
		await enter(page, at("/uhai"), admin);
		const sessions = await countSessions(stand, token);
		for (const _ of [1, 2]) {
			const other = await window.newPage();
			await other.goto(at("/uhai"));
			await heading(other, "Overview").waitFor();
		}
		expect(await countSessions(stand, token)).toBe(sessions);
		await open(page, "Sessions");
		const here = page.getByRole("listitem").filter({ hasText: "This device" });
		await here.getByText("Linux", { exact: true }).waitFor();
		expect(await here.getByRole("listitem").allTextContents()).toEqual([
			"Console uhai",
			"Sign-in pages uhai",
		]);
		const ends = page.getByRole("button", { name: /^Sign out of/ });
		await ends.first().waitFor();
		const before = await ends.count();
		await ends.first().click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await expect.poll(() => dialog.count(), patience).toBe(0);
		expect(await ends.count()).toBe(before);
		await ends.first().click();
		await dialog.getByRole("button", { name: "Sign out" }).click();
		await page.getByText("You are signed out of").waitFor();
		await expect.poll(() => ends.count(), patience).toBe(before - 1);
		await page.getByRole("button", { name: "Sign out everywhere else" }).click();
		await dialog.getByRole("button", { name: "Sign out everywhere else" }).click();
		await page.getByText("You are signed out everywhere else.").waitFor();
		await expect.poll(() => ends.count(), patience).toBe(0);
	}));

test("an expired token is renewed once, invisibly to the user", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		let refused = 0;
		let refreshed = 0;
		await page.route("**/api/v1/auth/sessions?*", async (route) => {
			refused += 1;
			if (refused > 1 || route.request().method() === "OPTIONS") return route.fallback();
			const headers = { "access-control-allow-origin": stand.urls.console };
			return route.fulfill({ status: 401, headers, json: { error: "expired", code: "token_invalid" } });
		});
		page.on("request", (request) => {
			if (request.url().endsWith("/api/v1/auth/resume") && request.method() === "POST") refreshed += 1;
		});
		await open(page, "Sessions");
		await page.getByText("This device").waitFor();
		expect(refreshed).toBe(1);
		expect(page.url()).toBe(at("/uhai/sessions"));
	}));

test("a change refused for the subscription shows a message with a link to the plans, and no sign-in", () =>
	visit(async (page, window) => {
		await enter(page, at("/uhai"), admin);
		const other = await window.newPage();
		await other.goto(at("/uhai/sessions"));
		await heading(other, "Sessions").waitFor();
		await page.route("**/api/v1/auth/sessions", (route) => {
			if (route.request().method() !== "DELETE") return route.fallback();
			const headers = { "access-control-allow-origin": stand.urls.console };
			const json = { error: "inactive", code: "subscription_inactive", upgrade: true };
			return route.fulfill({ status: 403, headers, json });
		});
		await open(page, "Sessions");
		await page.getByRole("button", { name: "Sign out everywhere else" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("button", { name: "Sign out everywhere else" }).click();
		await dialog.getByText("The subscription is not active").waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		const notices = page.getByRole("region", { name: "Notices" });
		await notices.getByRole("link", { name: "View plans" }).click();
		await heading(page, "Subscription").waitFor();
		expect(await notices.textContent()).toBe("");
	}));

test("what a service cannot answer is said with the request's reference, and tried again by a press", () =>
	visit(async (page) => {
		await page.route("**/api/v1/tenants/*/usage", (route) => {
			const headers = { "access-control-allow-origin": stand.urls.console };
			const json = { error: "…", code: "internal", request_id: "r-1234" };
			return route.fulfill({ status: 500, headers, json });
		});
		await enter(page, at("/uhai"), admin);
		await page.getByText("reference: r-1234").waitFor();
		await page.unroute("**/api/v1/tenants/*/usage");
		await page.getByRole("button", { name: "Try again" }).click();
		await page.getByText(/^\d+ of 10,000$/).waitFor();
	}));

test("on a phone the way through the console is a drawer, closed by Escape and by going somewhere", () =>
	visit(
		async (page) => {
			await enter(page, at("/uhai"), admin);
			const menu = page.getByRole("button", { name: "Menu", exact: true });
			const drawer = page.getByRole("dialog", { name: "Menu" });
			await menu.click();
			await drawer.getByRole("button", { name: "Sign out" }).waitFor();
			expect(await faultsInThemes(page)).toEqual([]);
			await page.keyboard.press("Escape");
			await expect.poll(() => drawer.count(), patience).toBe(0);
			await open(page, "Profile");
			await heading(page, "Your profile").waitFor();
			await expect.poll(() => drawer.count(), patience).toBe(0);
			await page.getByRole("main").getByText("admin@uhai.example").waitFor();
		},
		// Axe would measure the contrast of what is still coming in.
		{ ...phone, reducedMotion: "reduce" },
	));

test("the language of the whole page changes without leaving it", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await page.getByRole("button", { name: "Kiswahili" }).click();
		await heading(page, "Muhtasari").waitFor();
		await page.getByText(/zimebaki siku \d+/).waitFor();
		expect(await page.evaluate("document.documentElement.lang")).toBe("sw");
	}));

test("going back after the sign-in does not lead to the form", () =>
	visit(async (page) => {
		await page.goto(at("/uhai"));
		await signIn(page, admin.email);
		await heading(page, "Overview").waitFor();
		await open(page, "Profile");
		await heading(page, "Your profile").waitFor();
		await page.goBack();
		await heading(page, "Overview").waitFor();
		await page.goBack();
		expect(page.url()).not.toContain(stand.urls.accounts);
		expect(await page.getByLabel("Password", { exact: true }).count()).toBe(0);
	}));

/** The colours of the frames of the text fields and lists on a page. */
const frames = `[...new Set([...document.querySelectorAll("main input:not([type]), main select")].map(
	(field) => getComputedStyle(field).borderTopColor))]`;

test("a printed page is light and has the values of its fields, but no controls, also in the dark theme", () =>
	visit(
		async (page) => {
			await enter(page, at("/uhai"), admin);
			await openPath(page, "/uhai/outlets");
			await page.getByRole("row").nth(1).waitFor();
			await page.getByLabel("Theme").selectOption("Dark");
			await page.emulateMedia({ media: "print" });
			const background = "getComputedStyle(document.documentElement).backgroundColor";
			await expect.poll(() => page.evaluate(background), patience).toBe("rgb(246, 247, 244)");
			const shown = (kinds: string) => page.locator(kinds).filter({ visible: true }).count();
			await page.getByRole("columnheader", { name: "Name" }).getByText("Name").first().waitFor();
			expect(await shown("button, input, select, nav")).toBe(0);
			await openPath(page, "/uhai/people");
			await page.getByRole("row").nth(1).waitFor();
			expect(await shown("button, input, select, nav")).toBe(0);
			await openPath(page, "/uhai/settings");
			const name = page.getByLabel("Name", { exact: true });
			await name.waitFor();
			expect(await name.inputValue()).toBe("Uhai Hospital");
			expect(await shown("button, nav, [type=color], [type=file]")).toBe(0);
			expect(await page.evaluate(frames)).toEqual(["rgba(0, 0, 0, 0)"]);
		},
		{ colorScheme: "dark" },
	));

test("everything is reached from the keyboard, and a page is read from its heading", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		const focused = () => page.evaluate("document.activeElement.textContent");
		await expect.poll(focused, patience).toBe("Overview");
		await page.getByRole("link", { name: "Sessions" }).focus();
		await page.keyboard.press("Enter");
		await expect.poll(focused, patience).toBe("Sessions");
	}));

test("an unknown address keeps the navigation", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await openPath(page, "/uhai/no/such/page");
		await heading(page, "Page not found").waitFor();
		await open(page, "Profile");
		await heading(page, "Your profile").waitFor();
	}));

test("the console shows its outline and asks for its fonts before a script has run", () =>
	visit(async (page) => {
		await page.route("**/*.js", () => {});
		const fonts: string[] = [];
		page.on("request", (request) => {
			if (request.resourceType() === "font") fonts.push(request.url());
		});
		await page.goto(at("/uhai"), { waitUntil: "commit" });
		await page.getByText("Lango", { exact: true }).waitFor();
		await expect.poll(() => fonts, patience).toHaveLength(2);
		expect(await page.getByRole("heading").count()).toBe(0);
	}));

/** The scripts of the console that a window fetches, with their compressed sizes in kB. */
function countScripts(page: Page): () => { count: number; kilobytes: number } {
	const sizes = new Map<string, number>();
	page.on("requestfinished", async (request) => {
		if (request.resourceType() !== "script" || !request.url().startsWith(at("/"))) return;
		const { responseBodySize } = await request.sizes();
		sizes.set(request.url(), Math.max(responseBodySize, sizes.get(request.url()) ?? 0));
	});
	return () => ({
		count: sizes.size,
		kilobytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) / 1_000,
	});
}

test("the way through the sign-in to the first page fetches at most 15 scripts of 170 kB", () =>
	visit(async (page) => {
		const fetched = countScripts(page);
		await page.goto(at("/uhai"));
		await heading(page, "Sign in to Uhai Hospital").waitFor();
		await signIn(page, admin.email);
		await page.getByText(/^\d+ of 10,000$/).waitFor();
		await page.waitForLoadState("networkidle");
		expect(fetched().kilobytes).toBeGreaterThan(100);
		expect(fetched().kilobytes).toBeLessThanOrEqual(170);
		expect(fetched().count).toBeLessThanOrEqual(15);
	}));

test("a visitor without a session fetches at most 25 kB of scripts before the sign-in page", () =>
	visit(async (page) => {
		const fetched = countScripts(page);
		await page.goto(at("/uhai"));
		await heading(page, "Sign in to Uhai Hospital").waitFor();
		expect(fetched().kilobytes).toBeGreaterThan(10);
		expect(fetched().kilobytes).toBeLessThanOrEqual(25);
	}));

test("a load with a session fetches one document, and fewer than 30 files before its content", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		const sent: string[] = [];
		page.on("request", (request) => sent.push(request.resourceType()));
		await page.reload();
		await page.getByRole("heading", { name: "Recent changes" }).waitFor();
		expect(sent.filter((kind) => kind === "document")).toEqual(["document"]);
		expect(sent.length).toBeLessThan(30);
	}));

test("what the overview shows does not move while it loads on a phone, also when its first part comes last", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await page.route(`${stand.urls.subscriptions}/**`, async (route) => {
			await page.waitForTimeout(500);
			await route.fallback();
		});
		await page.addInitScript(`
			window.shift = 0;
			new PerformanceObserver((list) => {
				for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
			}).observe({ type: "layout-shift", buffered: true });
		`);
		await page.reload();
		await page.getByRole("heading", { name: "Recent changes" }).waitFor();
		await page.getByText(/^\d+ of 10,000$/).waitFor();
		await page.waitForLoadState("networkidle");
		// A shift is reported with the frame after the one that it is in.
		await page.evaluate(
			"new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))",
		);
		expect(await page.evaluate("window.shift")).toBeLessThan(0.01);
	}, phone));

/** Sends a message to the inbox of a person of Uhai Hospital, as its administrator. */
async function notify(userId: string, title: string): Promise<void> {
	const message = {
		...{ channel: "in_app", template: "shared/generic_notification", to: [`user:${userId}`] },
		data: { name: "Asha", title, message: "Only 3 left.", action_link: "https://lango.example/stock" },
	};
	const answer = await fetch(`${stand.urls.notifications}/api/v1/uhai/notifications/messages`, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			authorization: `Bearer ${await tokenOf(stand, admin.email)}`,
		},
		body: JSON.stringify(message),
	});
	expect(answer.ok, await answer.clone().text()).toBe(true);
}

test("the bell counts without a reload, opening it marks items as seen, and the inbox keeps them unread", () =>
	visit(
		async (page) => {
			// Not an administrator, who gets a message about each person who asks to join.
			const pharmacist = { email: "pharm@uhai.example" };
			const token = await tokenOf(stand, pharmacist.email);
			const { sub } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
			await enter(page, at("/uhai"), pharmacist);
			const bell = (name: string | RegExp) => page.getByRole("button", { name });
			await bell(/^Notifications/).waitFor();
			const [title, second] = [`Stock ${Date.now()}`, `Milk ${Date.now()}`];
			await notify(sub, title);
			await bell(/^Notifications: \d+ new$/).waitFor();
			await bell(/^Notifications/).click();
			await page.getByRole("dialog", { name: "Notifications" }).getByText(title).waitFor();
			await bell("Notifications").and(page.locator("[aria-label=Notifications]")).waitFor();
			expect(await faultsInThemes(page)).toEqual([]);
			await page.getByRole("link", { name: "Open the inbox" }).click();
			await heading(page, "Inbox").waitFor();
			await notify(sub, second);
			await page.getByRole("row", { name: second }).waitFor();
			expect(await faultsInThemes(page)).toEqual([]);
			await page.getByRole("button", { name: `Mark as read: ${title}` }).click();
			await page.getByRole("button", { name: `Mark as unread: ${title}` }).waitFor();
			await page.getByRole("button", { name: `Archive: ${title}` }).click();
			await expect.poll(() => page.getByRole("row", { name: title }).count(), patience).toBe(0);
			await page.getByLabel("Show").selectOption("archived");
			await page.getByRole("row", { name: title }).waitFor();
			await page.getByRole("button", { name: "Mark all as read" }).click();
			await page.getByText("All items are marked as read.").waitFor();
			await page.getByLabel("Show").selectOption("unread");
			await page.getByText("You have read everything.").waitFor();
		},
		{ isLive: true },
	));

test("without the notification service the bell has no number and pages work", () =>
	visit(
		async (page) => {
			await page.route(/\/notifications\/inbox/, (route) => route.abort());
			await enter(page, at("/uhai"), admin);
			await page.getByRole("button", { name: "Notifications" }).click();
			await page.getByRole("dialog").getByRole("button").waitFor();
			expect(await page.getByRole("region", { name: "Notices" }).textContent()).toBe("");
			await open(page, "Sessions");
			await heading(page, "Sessions").waitFor();
		},
		{ isLive: true },
	));
