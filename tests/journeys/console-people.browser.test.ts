import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { askToJoin, namesIn, open, openOutlet, tokenOf } from "./console-people-visit.ts";
import {
	type ConsoleStand,
	enter,
	faultsInThemes,
	faultsOf,
	heading,
	openConsole,
	openPath,
	signIn,
} from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
});
afterAll(() => stand?.close());
const visit: ConsoleStand["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

test("people are listed with roles and outlets, and found by name and by role", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		await heading(page, "People").waitFor();
		await expect
			.poll(async () => (await namesIn(page)).toSorted(), patience)
			.toEqual(["Asha Mwangi You", "Njeri Kamau", "Peter Barasa"]);
		await rowOf(page, "Asha Mwangi").getByText("Headquarters").waitFor();
		await rowOf(page, "Njeri Kamau").getByText("Pharmacy, Ward Block").waitFor();
		await page.getByRole("searchbox", { name: "Search people" }).fill("NJERI");
		await expect.poll(() => namesIn(page), patience).toEqual(["Njeri Kamau"]);
		await page.getByLabel("Role", { exact: true }).selectOption("Administrator");
		await page.getByText("No results.").waitFor();
		await page.getByRole("searchbox", { name: "Search people" }).fill("");
		await expect.poll(() => namesIn(page), patience).toEqual(["Asha Mwangi You"]);
	}));

test("roles and outlets of a member are changed, and the list shows it", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		await page.getByRole("button", { name: "Change Peter Barasa" }).click();
		await dialog(page)
			.getByRole("checkbox", { name: /^Receptionist/ })
			.check();
		await dialog(page)
			.getByRole("checkbox", { name: /^Ward Block/ })
			.check();
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await page.getByText("Peter Barasa was changed.").waitFor();
		await expect.poll(() => dialog(page).count(), patience).toBe(0);
		const peter = rowOf(page, "Peter Barasa");
		await peter.getByText("Staff, Receptionist").waitFor();
		await peter.getByText("Pharmacy, Ward Block").waitFor();
		// The message is about the page that is left.
		await open(page, "Outlets");
		await heading(page, "Outlets").waitFor();
		expect(await page.getByText("Peter Barasa was changed.").count()).toBe(0);
	}));

test("that somebody has to administer is said in the dialog, which stays", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		await page.getByRole("button", { name: "Change Asha Mwangi" }).click();
		await dialog(page)
			.getByRole("checkbox", { name: /^Administrator/ })
			.uncheck();
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await dialog(page).getByRole("alert").getByText("Choose at least one role.").waitFor();
		await dialog(page)
			.getByRole("checkbox", { name: /^Viewer/ })
			.check();
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await dialog(page)
			.getByRole("alert")
			.getByText("An organisation needs at least one administrator.")
			.waitFor();
		await dialog(page).getByRole("button", { name: "Cancel" }).click();
		await rowOf(page, "Asha Mwangi").getByText("Administrator").waitFor();
		expect(await page.getByRole("button", { name: "Remove Asha Mwangi" }).count()).toBe(0);
	}));

test("somebody is invited with a link that is shown once, registers with it, and is removed after a question", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		await page.getByRole("button", { name: "Invite" }).click();
		await dialog(page).getByRole("button", { name: "Send invitation" }).click();
		await dialog(page).getByRole("alert").getByText("Enter the e-mail address.").waitFor();
		await dialog(page).getByLabel("E-mail address").fill("zuri@guests.example");
		await dialog(page)
			.getByRole("checkbox", { name: /^Receptionist/ })
			.check();
		await dialog(page)
			.getByRole("checkbox", { name: /^Pharmacy/ })
			.check();
		await dialog(page).getByRole("button", { name: "Send invitation" }).click();
		const link = await dialog(page).getByLabel("Invitation link").inputValue();
		await dialog(page).getByRole("button", { name: "Close" }).click();
		await page.getByRole("link", { name: "Invitations" }).click();
		await rowOf(page, "zuri@guests.example").getByText("Open", { exact: true }).waitFor();
		await visit(async (guest) => {
			await guest.goto(link);
			await guest.getByLabel("Your name").fill("Zuri Hassan");
			await guest.getByLabel("Password", { exact: true }).fill("Karibu-2026!");
			await guest.getByRole("button", { name: "Register and accept" }).click();
			await heading(guest, "Overview").waitFor();
		});
		await page.goto(at("/uhai/people"));
		const zuri = rowOf(page, "Zuri Hassan");
		await zuri.getByText("Receptionist").waitFor();
		await zuri.getByRole("button", { name: "Remove Zuri Hassan" }).click();
		await dialog(page).getByText("is signed out of Uhai Hospital everywhere").waitFor();
		await dialog(page).getByRole("button", { name: "Remove" }).click();
		await page.getByText("Zuri Hassan was removed.").waitFor();
		await expect.poll(() => zuri.count(), patience).toBe(0);
	}));

test("an invitation is sent again, withdrawn, and then is one no more", () =>
	visit(async (page) => {
		await invite("amani@guests.example");
		await enter(page, at("/uhai"), admin);
		await openPath(page, "/uhai/people/invitations");
		await page.getByLabel("Status").selectOption("Open");
		const amani = rowOf(page, "amani@guests.example");
		await amani.getByRole("button", { name: "Send again to amani@guests.example" }).click();
		await dialog(page).getByRole("button", { name: "Send again" }).click();
		await page.getByText("A new invitation was sent to amani@guests.example.").waitFor();
		await expect.poll(() => amani.count(), patience).toBe(1);
		await amani.getByRole("button", { name: "Withdraw the invitation of amani@guests.example" }).click();
		await dialog(page).getByRole("button", { name: "Withdraw" }).click();
		await page.getByText("The invitation of amani@guests.example was withdrawn.").waitFor();
		await expect.poll(() => amani.count(), patience).toBe(0);
		await page.getByLabel("Status").selectOption("Withdrawn");
		await expect.poll(() => amani.count(), patience).toBe(2);
	}));

async function invite(email: string): Promise<void> {
	const answer = await fetch(`${stand.urls.auth}/api/v1/tenants/uhai/invitations`, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			authorization: `Bearer ${await tokenOf(stand, admin.email)}`,
		},
		body: JSON.stringify({ email, roles: ["viewer"] }),
	});
	expect(answer.status).toBe(201);
}

test("of two join requests one is approved with another role, and one is declined", () =>
	visit(async (page) => {
		await askToJoin(stand, "uhai", "Baraka Okoth");
		await askToJoin(stand, "uhai", "Chausiku Juma");
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		await page.getByRole("link", { name: "Join requests 2 waiting" }).click();
		await rowOf(page, "Baraka Okoth").getByText("E-mail not confirmed").waitFor();
		await page.getByRole("button", { name: "Approve Baraka Okoth" }).click();
		await dialog(page).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await dialog(page)
			.getByRole("checkbox", { name: /^Staff/ })
			.check();
		await dialog(page)
			.getByRole("checkbox", { name: /^Member/ })
			.uncheck();
		await dialog(page).getByRole("button", { name: "Approve" }).click();
		await page.getByText("Baraka Okoth was approved.").waitFor();
		await page.getByRole("button", { name: "Decline Chausiku Juma" }).click();
		await dialog(page).getByRole("button", { name: "Decline" }).click();
		await page.getByText("There are no join requests.").waitFor();
		await page.getByRole("link", { name: "Members" }).click();
		await rowOf(page, "Baraka Okoth").getByText("Staff").waitFor();
		await rowOf(page, "Baraka Okoth").getByText("E-mail not confirmed").waitFor();
		expect(await rowOf(page, "Asha Mwangi").getByText("E-mail not confirmed").count()).toBe(0);
		expect(await rowOf(page, "Chausiku Juma").count()).toBe(0);
	}));

test("a rider who became a member gets the second approval on the riders page", () =>
	visit(async (page) => {
		await askToJoin(stand, "uhai", "Rashid Omari");
		await enter(page, at("/uhai"), admin);
		await openPath(page, "/uhai/people/waiting");
		await page.getByRole("button", { name: "Approve Rashid Omari" }).click();
		await dialog(page)
			.getByRole("checkbox", { name: /^Rider/ })
			.check();
		await dialog(page).getByRole("button", { name: "Approve" }).click();
		await page.getByText("Rashid Omari was approved.").waitFor();
		await open(page, "Riders");
		await heading(page, "Riders").waitFor();
		await page.getByLabel("Status").selectOption("Waiting for approval");
		const rashid = rowOf(page, "Rashid Omari");
		await expect
			.poll(async () => {
				if ((await rashid.count()) === 0) await page.reload();
				await heading(page, "Riders").waitFor();
				await page.getByRole("table").or(page.getByText("No results.")).first().waitFor();
				return rashid.count();
			}, patience)
			.toBe(1);
		expect(await faultsOf(page)).toEqual([]);
		await page.getByRole("button", { name: "Approve Rashid Omari" }).click();
		await page.getByText("Rashid Omari is active.").waitFor();
		await page.getByText("No results.").waitFor();
		await page.getByLabel("Status").selectOption("Active");
		await page.getByRole("button", { name: "Suspend Rashid Omari" }).click();
		await dialog(page).getByRole("button", { name: "Suspend" }).click();
		await page.getByText("Rashid Omari is suspended.").waitFor();
	}));

test("the page and the filters of a list are in its address: kept by reload, Back and a copied address", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		const numbers = Array.from({ length: 21 }, (_, index) => index);
		for (const number of numbers) await invite(`many-${number}@guests.example`);
		await invite("latest@guests.example");
		await openPath(page, "/uhai/people/invitations");
		await page.getByRole("searchbox").fill("many-");
		const latest = numbers.map((number) => `many-${number}@guests.example`).toReversed();
		await page.getByLabel("Status").selectOption("Open");
		await expect.poll(() => namesIn(page), patience).toEqual(latest.slice(0, 20));
		await page.getByText("1–20 of 21", { exact: true }).waitFor();
		const next = page.getByRole("button", { name: "Next page" });
		const topOfList = async () => (await page.getByRole("searchbox").boundingBox())?.y;
		// So low that the top of a page with one row is out of view, too, when its end is in view.
		await page.setViewportSize({ width: 1280, height: 200 });
		await next.scrollIntoViewIfNeeded();
		expect(await topOfList()).toBeLessThan(0);
		await next.click();
		await expect.poll(() => namesIn(page), patience).toEqual(["many-0@guests.example"]);
		await page.getByText("21–21 of 21", { exact: true }).waitFor();
		expect(await topOfList()).toBeGreaterThanOrEqual(0);
		const isListFocused = `document.activeElement.matches("div[tabindex='-1']:has(table)")`;
		expect(await page.evaluate(isListFocused)).toBe(true);
		await page.setViewportSize({ width: 1280, height: 800 });

		await page.reload();
		await expect.poll(() => namesIn(page), patience).toEqual(["many-0@guests.example"]);
		expect(await page.getByRole("searchbox").inputValue()).toBe("many-");

		await page.goBack();
		await expect.poll(() => namesIn(page), patience).toEqual(latest.slice(0, 20));
		await open(page, "Outlets");
		await heading(page, "Outlets").waitFor();
		await page.goBack();
		await expect.poll(() => namesIn(page), patience).toEqual(latest.slice(0, 20));
		expect(await page.getByLabel("Status").inputValue()).toBe("open");
		await next.click();
		await expect.poll(() => namesIn(page), patience).toEqual(["many-0@guests.example"]);

		const copied = page.url();
		await page.goto("about:blank");
		await page.goto(copied);
		await expect.poll(() => namesIn(page), patience).toEqual(["many-0@guests.example"]);
		await page.getByRole("button", { name: "Previous page" }).click();
		await expect.poll(() => namesIn(page), patience).toEqual(latest.slice(0, 20));
		await page.getByRole("searchbox").fill("many-7");
		await expect.poll(() => namesIn(page), patience).toEqual(["many-7@guests.example"]);
		expect(await page.getByRole("navigation", { name: /^Pages/ }).count()).toBe(0);
		await page.getByText("Total: 1", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Remove filters" }).click();
		await expect.poll(() => new URL(page.url()).search, patience).toBe("");
		expect(await page.getByRole("searchbox").inputValue()).toBe("");
	}));

test("outlets are sorted as people count, by the head of a column, and are cards below 900 px with their words whole", () =>
	visit(async (page) => {
		for (const number of [10, 2]) await openOutlet(stand, { code: `W${number}`, name: `Ward ${number}` });
		await enter(page, at("/uhai"), admin);
		await openPath(page, "/uhai/outlets?q=Ward");
		const wards = ["Ward 2", "Ward 10", "Ward Block"];
		await expect.poll(() => namesIn(page), patience).toEqual(wards);
		const head = page.getByRole("columnheader", { name: "Name" });
		await head.getByRole("button").click();
		await expect.poll(() => head.getAttribute("aria-sort"), patience).toBe("ascending");
		await head.getByRole("button").click();
		await expect.poll(() => namesIn(page), patience).toEqual(wards.toReversed());
		expect(new URL(page.url()).search).toBe("?q=Ward&sort=-name");
		await page.reload();
		await expect.poll(() => namesIn(page), patience).toEqual(wards.toReversed());

		for (const [width, isCard] of [
			[1280, false],
			[900, false],
			[899, true],
			[390, true],
		] as const) {
			await page.setViewportSize({ width, height: 800 });
			await expect.poll(() => isStacked(page), patience).toBe(isCard);
			await expect.poll(() => page.getByLabel("Sort by").isVisible(), patience).toBe(isCard);
			for (const path of ["/uhai/outlets", "/uhai/people", "/uhai/audit", "/uhai/access/hospital"]) {
				await openPath(page, path);
				await page.getByRole("row").nth(1).waitFor();
				expect(await brokenWords(page), `${path} at ${width} px`).toEqual([]);
				expect(await faultsOf(page), `${path} at ${width} px`).toEqual([]);
			}
			await openPath(page, "/uhai/outlets?q=Ward&sort=-name");
		}
		await page.getByLabel("Sort by").selectOption("Name, ascending");
		await expect.poll(() => namesIn(page), patience).toEqual(wards);
	}));

/** Whether the cells of a row are below each other. */
const isStacked = (page: Page) =>
	page.evaluate("getComputedStyle(document.querySelector('tbody tr')).display === 'block'");

/** The words of the table that are broken: those without the marks at which an address may be. */
const brokenWords = (page: Page) =>
	page.evaluate(`(() => {
		const broken = [];
		const texts = document.createTreeWalker(document.querySelector("table"), NodeFilter.SHOW_TEXT);
		for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
			for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)[\\p{L}\\d’]+(?!\\S)/gu)) {
				const range = document.createRange();
				range.setStart(text, index);
				range.setEnd(text, index + word.length);
				if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
			}
		return broken;
	})()`);

test("an outlet is opened, changed, archived and restored", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "Outlets");
		await rowOf(page, "Headquarters").first().waitFor();
		await page.getByRole("button", { name: "Open an outlet" }).click();
		await dialog(page).getByLabel("Name").fill("Westlands Clinic");
		expect(await dialog(page).getByLabel("Code").inputValue()).toBe("WESTLANDS-CL");
		await dialog(page).getByLabel("Code").fill("hq");
		await dialog(page).getByRole("button", { name: "Open an outlet" }).click();
		await dialog(page)
			.getByRole("alert")
			.getByText("Another outlet, perhaps an archived one, has this code.")
			.waitFor();
		await dialog(page).getByLabel("Code").fill("west");
		await dialog(page).getByRole("button", { name: "Open an outlet" }).click();
		await page.getByText("Westlands Clinic is open.").waitFor();
		await page.getByRole("button", { name: "Change Westlands Clinic" }).click();
		await dialog(page).getByLabel("Name").fill("Westlands Surgery");
		await dialog(page).getByLabel("Status").selectOption("Temporarily closed");
		await dialog(page).getByRole("button", { name: "Save" }).click();
		const surgery = rowOf(page, "Westlands Surgery");
		await surgery.getByText("Temporarily closed").waitFor();
		await surgery.getByRole("cell", { name: "WEST", exact: true }).waitFor();
		await page.getByRole("button", { name: "Archive Westlands Surgery" }).click();
		await dialog(page).getByRole("button", { name: "Archive" }).click();
		await page.getByText("Westlands Surgery was archived.").waitFor();
		await expect.poll(() => surgery.count(), patience).toBe(0);
		await page.getByLabel("Show").selectOption("Archived");
		await page.getByRole("button", { name: "Restore Westlands Surgery" }).click();
		await dialog(page).getByRole("button", { name: "Restore" }).click();
		await page.getByText("Westlands Surgery is open again.").waitFor();
		await page.getByLabel("Show").selectOption("In use");
		await surgery.getByText("Open", { exact: true }).waitFor();
	}));

test("without the permission the navigation has no link, and the address says so", () =>
	visit(async (page) => {
		await page.goto(at("/kahawa"));
		await signIn(page, "cashier@kahawa.example");
		await heading(page, "Overview").waitFor();
		const links = page.getByRole("navigation", { name: "Console pages" }).getByRole("link");
		const offered = await links.allTextContents();
		expect(offered).toContain("Overview");
		for (const name of ["People", "Outlets", "Roles in services", "Audit log"])
			expect(offered).not.toContain(name);
		for (const path of ["people", "people/invitations", "people/waiting", "outlets", "audit", "riders"]) {
			await openPath(page, `/kahawa/${path}`);
			await heading(page, "You don’t have access").waitFor();
		}
	}));
