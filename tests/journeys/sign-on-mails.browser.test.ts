import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { askToJoin, tokenOf } from "./console-people-visit.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import {
	enter,
	faultsInThemes,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
	signIn,
} from "./console-visit.ts";
import { type Mail, mailTo } from "./sandbox-inbox.ts";

let stand: SharedConsole;
let tenant: ConsoleTenant;
beforeAll(async () => {
	stand = await openSharedConsole();
	tenant = await registerTenant(stand, { plan: "PROFESSIONAL" });
});

const newPassword = "tatu nne tano";
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const accounts = (path: string) => `${stand.urls.accounts}${path}`;

/** The link of the mail's button, which leads to a page of the sign-on. */
function linkOf({ links }: Mail, path: string): string {
	const link = links.find((one) => one.startsWith(accounts(path)));
	expect(links, "the links of the mail").toContain(link);
	return String(link);
}

test("a person who registers in Swahili gets a Swahili mail, confirms the address by its link once, and signs in", () =>
	stand.visit(async (page) => {
		const name = `duka-la-zuri-${Date.now().toString(36)}`;
		const email = `zuri@${name}.example`;
		await page.goto(accounts("/register"));
		await button(page, "Kiswahili").click();
		await page.getByLabel("Jina lako").fill("Zuri Hassan");
		await page.getByLabel("Barua pepe").fill(email);
		await page.getByLabel("Nenosiri", { exact: true }).fill("Karibu-2026!");
		await button(page, "Endelea").click();
		await page.getByLabel("Jina la shirika").fill(name);
		await button(page, "Endelea").click();
		await button(page, "Jisajili").click();
		await page.waitForURL(`${stand.urls.console}/${name}**`);

		const mail = await mailTo(stand, email, "Thibitisha anwani yako ya barua pepe");
		expect(mail.text).toContain("Habari Zuri Hassan,");
		const link = linkOf(mail, "/verify-email#token=");
		await page.goto(link);
		const confirm = async () => {
			await page.getByLabel("Nenosiri jipya").fill(newPassword);
			await button(page, "Thibitisha").click();
		};
		await confirm();
		await heading(page, "Anwani yako imethibitishwa").waitFor();
		await page.getByRole("link", { name: "Ingia" }).click();
		await page.getByLabel("Barua pepe").fill(email);
		await page.getByLabel("Nenosiri", { exact: true }).fill(newPassword);
		await button(page, "Ingia").click();
		await page.getByRole("link", { name: "Wasifu wako" }).click();
		await page.getByText("imethibitishwa", { exact: true }).waitFor();

		await page.goto("about:blank");
		await page.goto(link);
		await confirm();
		await heading(page, "Kiungo hiki hakiwezi kutumika").waitFor();
	}));

test("a forgotten password is replaced by the mail's link; used a second time, the link says that it cannot be used", () =>
	stand.visit(async (page) => {
		await page.goto(accounts("/forgot-password"));
		await page.getByLabel("E-mail address").fill(tenant.email);
		await button(page, "Send link").click();
		const mail = await mailTo(stand, tenant.email, "reset the password");
		const link = linkOf(mail, "/reset-password#token=");
		const set = async () => {
			await page.goto("about:blank");
			await page.goto(link);
			await page.getByLabel("New password").fill("Karibu-2026!");
			await button(page, "Set password").click();
		};
		await set();
		await page.getByText("Your new password is set. Sign in with it.").waitFor();
		await set();
		await heading(page, "This link cannot be used").waitFor();
		await page.getByText("It has already been used").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByRole("link", { name: "Request a new link" }).waitFor();
	}));

test("an invitation is mailed in the language of the administrator's console, and its link leads into the console, also after a reload", () =>
	stand.visit(async (page) => {
		const email = `baraka@${tenant.slug}.example`;
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await openPath(page, `/${tenant.slug}/people`);
		await button(page, "Kiswahili").click();
		await button(page, "Alika").click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Barua pepe").fill(email);
		await dialog.getByRole("checkbox").first().check();
		await dialog.getByRole("button", { name: "Tuma mwaliko" }).click();
		await dialog.getByText(`Mwaliko umetumwa kwa ${email}.`).waitFor();

		const mail = await mailTo(stand, email, "Mwaliko wa kujiunga na");
		await stand.visit(async (guest) => {
			await guest.goto(linkOf(mail, "/register#invitation="));
			await guest.getByText(/^Amina Soko invites you to work with Soko \d+ as .+\.$/).waitFor();
			await guest.reload();
			await guest.getByLabel("Your name").fill("Baraka Okoth");
			expect(await guest.getByLabel("E-mail address").inputValue()).toBe(email);
			await guest.getByLabel("Password", { exact: true }).fill(newPassword);
			await button(guest, "Register and accept").click();
			await heading(guest, "Overview").waitFor();
			expect(guest.url()).toBe(`${stand.urls.console}/${tenant.slug}`);
		});
		await dialog.getByRole("button", { name: "Funga" }).click();
		await openPath(page, `/${tenant.slug}/people/invitations`);
		await page.getByRole("row").filter({ hasText: email }).getByText("Umekubaliwa").waitFor();
	}));

test("an approved person gets a link to the organisation in the console, which opens after the sign-in", () =>
	stand.visit(async (page) => {
		await askToJoin(stand, tenant.slug, `Neema ${tenant.slug}`);
		const email = `neema.${tenant.slug}@people.example`;
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await openPath(page, `/${tenant.slug}/people/waiting`);
		await button(page, `Approve Neema ${tenant.slug}`).click();
		await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
		await page.getByText(`Neema ${tenant.slug} was approved.`).waitFor();

		const mail = await mailTo(stand, email, "is approved");
		const link = mail.links.find((one) => one.startsWith(`${stand.urls.console}/${tenant.slug}`));
		await stand.visit(async (joiner) => {
			await joiner.goto(String(link));
			await signIn(joiner, email);
			await heading(joiner, "Overview").waitFor();
			expect(joiner.url()).toBe(`${stand.urls.console}/${tenant.slug}`);
		});
	}));

/** The language that the tenant's administrator chooses for messages. */
async function chooseLanguage(locale: string): Promise<void> {
	const answer = await fetch(`${stand.urls.notifications}/api/v1/${tenant.slug}/notifications/preferences`, {
		method: "PUT",
		headers: {
			authorization: `Bearer ${await tokenOf(stand, tenant.email)}`,
			"content-type": "application/json",
		},
		body: JSON.stringify({ locale }),
	});
	if (!answer.ok) throw new Error(`the language is not chosen: ${await answer.text()}`);
}

test("a sign-in on a new device is mailed in the person's language, and the mail leads to the person's sessions", () =>
	stand.visit(async (page) => {
		await chooseLanguage("sw-KE");
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		const mail = await mailTo(stand, tenant.email, "Akaunti yako imetumika kwenye kifaa kipya");
		expect(mail.text).toMatch(/^Kifaa: \S/m);
		const link = mail.links.find((one) => one.endsWith("/sessions"));
		await page.goto(String(link));
		await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent(), patience).toBe("Sessions");
	}));
