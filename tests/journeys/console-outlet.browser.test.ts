import type { BrowserContext, Page, Request } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import {
	enter,
	faultsInThemes,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
	signIn,
	switchOutlet,
} from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };
const nurse = { email: "nurse@uhai.example", outlet: "Ward Block" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;
const current = (page: Page) => page.getByRole("button", { name: /^Change outlet: / });

/** The addresses of the pages that ask for an outlet, which any tab of the window has shown. */
function watchQuestions(window: BrowserContext): string[] {
	const asked: string[] = [];
	window.on("page", (page) =>
		page.on("framenavigated", (frame) => {
			if (frame.url().includes("select-outlet")) asked.push(frame.url());
		}),
	);
	return asked;
}

/** Opens an address in a new tab and waits for its heading and for the outlet. */
async function openTab(
	window: BrowserContext,
	{ path, title, outlet }: { path: string; title: string; outlet: string },
): Promise<void> {
	const tab = await window.newPage();
	await tab.goto(at(path));
	await heading(tab, title).waitFor();
	await tab.getByRole("button", { name: `Change outlet: ${outlet}` }).waitFor();
}

test("people of the headquarters are not asked for an outlet, and the one they select is kept for new tabs", () =>
	visit(async (page, window) => {
		const asked = watchQuestions(window);
		await enter(page, at("/uhai"), admin);
		await page.getByRole("button", { name: "Change outlet: All outlets" }).waitFor();
		await switchOutlet(page, "Pharmacy");
		await openTab(window, { path: "/uhai/people", title: "People", outlet: "Pharmacy" });
		await page.reload();
		await page.getByRole("button", { name: "Change outlet: Pharmacy" }).waitFor();
		expect(asked).toEqual([]);
	}));

test("staff with several outlets choose one once: it is kept over a sign-out, a new sign-in and a deep link", () =>
	visit(async (page, window) => {
		await enter(page, at("/uhai"), nurse);
		const asked = watchQuestions(window);
		await openTab(window, { path: "/uhai/inbox", title: "Inbox", outlet: "Ward Block" });
		await switchOutlet(page, "Pharmacy");
		await page.getByRole("button", { name: "Sign out" }).click();
		await heading(page, "You are signed out").waitFor();
		const tab = await window.newPage();
		await tab.goto(at("/uhai/sessions"));
		await signIn(tab, nurse.email);
		await heading(tab, "Sessions").waitFor();
		await tab.getByRole("button", { name: "Change outlet: Pharmacy" }).waitFor();
		expect(asked).toEqual([]);
	}));

/** Ends the session whose token a page sends, with the one of its browser. */
async function endSessionOf(page: Page): Promise<void> {
	const isSigned = (request: Request) => request.headers()["authorization"] !== undefined;
	const sent = page.waitForRequest(isSigned);
	await page.getByRole("link", { name: "Inbox", exact: true }).click();
	const { authorization = "" } = (await sent).headers();
	const { sid } = JSON.parse(Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString());
	const address = `${stand.urls.auth}/api/v1/auth/sessions/${sid}?browser=true`;
	const answer = await fetch(address, { method: "DELETE", headers: { authorization } });
	expect(answer.status).toBe(204);
}

test("after the end of a session a new sign-in opens the same page at the same outlet", () =>
	visit(async (page, window) => {
		await enter(page, at("/uhai"), nurse);
		const asked = watchQuestions(window);
		await endSessionOf(page);
		const tab = await window.newPage();
		await page.close();
		await tab.goto(at("/uhai/receipts?state=unallocated"));
		await signIn(tab, nurse.email);
		await heading(tab, "Receipts").waitFor();
		expect(tab.url()).toBe(at("/uhai/receipts?state=unallocated"));
		await tab.getByRole("button", { name: `Change outlet: ${nurse.outlet}` }).waitFor();
		expect(asked).toEqual([]);
	}));

test("a stored outlet that the person does not have is dropped, and they choose again", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), nurse);
		const foreign = "00000000-0000-4000-8000-000000000000";
		const kept = "Object.keys(localStorage).filter((key) => key.startsWith('lango-outlet:'))";
		expect(await page.evaluate(`${kept}.length`)).toBe(1);
		await page.evaluate(`for (const key of ${kept}) localStorage.setItem(key, "${foreign}")`);
		await page.getByRole("button", { name: "Sign out" }).click();
		await heading(page, "You are signed out").waitFor();
		await page.getByRole("button", { name: "Sign in" }).click();
		await signIn(page, nurse.email);
		await page.getByRole("button", { name: "Pharmacy" }).click();
		await page.getByRole("button", { name: "Change outlet: Pharmacy" }).waitFor();
		expect(await page.evaluate(`${kept}.map((key) => localStorage.getItem(key))`)).not.toContain(foreign);
	}));

test("of 49 outlets one is found and selected by the keyboard alone, also on a phone, without a fault of axe", () =>
	visit(
		async (page) => {
			await page.route("**/api/v1/tenants/uhai/outlets", async (route) => {
				const headers = { "access-control-allow-origin": stand.urls.console };
				const few = (await (await route.fetch()).json()) as object[];
				const stalls = Array.from({ length: 49 - few.length }, (_, number) => ({
					...few[0],
					...{ id: crypto.randomUUID(), code: `STALL-${number}`, name: `Stall ${number}`, is_hq: false },
				}));
				await route.fulfill({ headers, json: [...few, ...stalls] });
			});
			await enter(page, at("/uhai"), admin);
			await current(page).focus();
			await page.keyboard.press("Enter");
			const menu = page.getByRole("dialog", { name: "Change outlet" });
			await expect.poll(() => menu.getByRole("option").count(), patience).toBe(50);
			const box = await menu.boundingBox();
			expect(box?.x).toBeGreaterThanOrEqual(0);
			expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
			expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
			expect(await faultsInThemes(page)).toEqual([]);
			await page.keyboard.press("Escape");
			await menu.waitFor({ state: "hidden" });
			expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Change outlet: All outlets");
			await page.keyboard.press("Enter");
			await menu.getByRole("option").first().waitFor();
			await page.keyboard.type("ward");
			await expect.poll(() => menu.getByRole("option").count(), patience).toBe(1);
			await page.keyboard.press("Enter");
			await page.getByRole("button", { name: "Change outlet: Ward Block" }).waitFor();
			await page.unrouteAll({ behavior: "ignoreErrors" });
		},
		{ width: 390, height: 844 },
	));

test("an outlet of the session is not changed over unsaved entries without a question", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), nurse);
		await openPath(page, "/uhai/preferences");
		await page.getByLabel("Language of messages").selectOption({ index: 1 });
		await current(page).click();
		await page.getByRole("option", { name: "Pharmacy" }).click();
		await page.getByRole("button", { name: "Continue editing" }).click();
		await page.getByRole("button", { name: "Change outlet: Ward Block" }).waitFor();
	}));

test("where many outlets are offered they are searched", () =>
	visit(async (page) => {
		await page.route(/\/tenants\/uhai\/outlets$/, async (route) => {
			const answer = await route.fetch();
			const [first, ...others] = (await answer.json()) as object[];
			const more = Array.from({ length: 12 }, (_, index) => {
				const number = index + 1;
				return { ...first, id: `clinic-${number}`, code: `C${number}`, name: `Clinic ${number}` };
			});
			await route.fulfill({ response: answer, json: [first, ...others, ...more] });
		});
		await enter(page, at("/uhai"), admin);
		await openPath(page, "/uhai/select-outlet");
		await heading(page, "Where do you work today?").waitFor();
		const offered = page.getByRole("listitem").getByRole("button");
		const search = page.getByRole("searchbox", { name: "Search outlets" });
		await search.fill("elsewhere");
		await page.getByText("No results.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await search.fill("clinic 12");
		await expect.poll(() => offered.count(), patience).toBe(1);
		await offered.getByText("Clinic 12").waitFor();
		await page.unrouteAll({ behavior: "ignoreErrors" });
	}));
