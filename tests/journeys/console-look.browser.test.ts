import type { Page, Response } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { registerTenant } from "./console-tenant.ts";
import { enter, heading, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";
import { mailTo } from "./sandbox-inbox.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;

test("language and theme are those of both the sign-in and the console, wherever they were chosen", () =>
	visit(async (page) => {
		const theme = () => page.locator("html").getAttribute("data-theme");
		await page.goto(at("/uhai"));
		await page.getByLabel("Theme").selectOption("Dark");
		await signIn(page, "admin@uhai.example");
		await heading(page, "Overview").waitFor();
		expect(await theme()).toBe("dark");
		await page.getByRole("button", { name: "Kiswahili" }).click();
		await page.getByLabel("Mwonekano").selectOption("Mwangaza");
		await heading(page, "Muhtasari").waitFor();
		await page.context().clearCookies({ name: "lango" });
		await page.goto(`${stand.urls.accounts}/login?tenant=uhai`);
		await heading(page, "Ingia Uhai Hospital").waitFor();
		expect(await theme()).toBe("light");
	}));

test("language and theme follow the person to another browser after the sign-in, and to their mails", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	const theme = (page: Page) => page.locator("html").getAttribute("data-theme");
	const isStored = (answer: Response) => answer.request().method() === "PATCH" && answer.ok();
	await visit(
		async (page) => {
			await enter(page, at(`/${tenant.slug}`), tenant);
			const language = page.waitForResponse(isStored);
			await page.getByRole("button", { name: "Kiswahili" }).click();
			await language;
			const look = page.waitForResponse(isStored);
			await page.getByLabel("Mwonekano").selectOption("Giza");
			await look;
		},
		{ storesLook: true },
	);
	await visit(
		async (page) => {
			await page.goto(`${stand.urls.accounts}/forgot-password`);
			await page.getByLabel("E-mail address").fill(tenant.email);
			await page.getByRole("button", { name: "Send link" }).click();
			await mailTo(stand, tenant.email, "Chagua nenosiri jipya");
			await page.goto(at(`/${tenant.slug}`));
			await page.getByLabel("Theme").selectOption("Light");
			await signIn(page, tenant.email);
			await heading(page, "Muhtasari").waitFor();
			expect(await theme(page)).toBe("dark");
			const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
			expect(cookies).toEqual(expect.arrayContaining(["lango-language=sw", "lango-theme=dark"]));
			await page.goto(`${stand.urls.accounts}/profile`);
			await heading(page, "Wasifu wako").waitFor();
			const language = page.waitForResponse(isStored);
			await page.getByRole("button", { name: "English" }).click();
			await language;
		},
		{ storesLook: true },
	);
	await visit(
		async (page) => {
			await enter(page, at(`/${tenant.slug}`), tenant);
			expect(await theme(page)).toBe("dark");
		},
		{ storesLook: true },
	);
});
