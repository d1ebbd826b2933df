import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { confirmByName, enter, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";

const owner = { email: "root@lango.example" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const at = (path: string) => `${stand.urls.console}${path}`;

/** Goes to the applications as the platform's owner. */
const inClients = (look: (page: Page) => Promise<void>) =>
	stand.visit(async (page) => {
		await enter(page, at("/lango"), owner);
		await page.getByRole("link", { name: "Applications" }).click();
		await heading(page, "Applications").waitFor();
		await look(page);
	});

const proves = async (secret: string) => {
	const body = new URLSearchParams({
		grant_type: "client_credentials",
		client_id: "reports-server",
		client_secret: secret,
	});
	return (await fetch(`${stand.urls.auth}/api/v1/token`, { method: "POST", body })).status;
};

test("the applications are found by name, and Lango's own are marked and cannot be deleted", () =>
	inClients(async (page) => {
		await page.getByRole("link", { name: "Café website" }).waitFor();
		await page.getByRole("searchbox").fill("CONSOLE");
		await expect.poll(() => page.getByRole("row").count(), patience).toBe(2);
		await page.getByText("Built in").waitFor();
		await page.getByRole("link", { name: "Console" }).last().click();
		await page.getByText("This is a built-in application.").waitFor();
		expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
		expect(await page.getByLabel("Redirect URIs").inputValue()).toContain("/{tenant}/auth/callback");
	}));

test("a search that finds nothing says so", () =>
	inClients(async (page) => {
		await page.getByRole("searchbox").fill("no such thing");
		await page.getByText("No results.").waitFor();
	}));

test("an application with a secret is registered, changed, given a new secret, and deleted after a question", () =>
	inClients(async (page) => {
		await page.getByRole("link", { name: "Register an application" }).click();
		await page.getByLabel("With a secret").check();
		await page.getByLabel("Identifier (client_id)").fill("reports-server");
		await page.getByLabel("Name", { exact: true }).fill("Reports");
		await page.getByLabel("Own permissions").fill("orders:read");
		await page.getByRole("button", { name: "Register an application" }).click();
		await heading(page, "Reports is registered").waitFor();
		const first = await page.getByRole("textbox", { name: "Secret" }).inputValue();
		expect(await proves(first)).toBe(200);

		await page.getByRole("link", { name: "Open the application" }).click();
		await heading(page, "Reports").waitFor();
		expect(await page.content()).not.toContain(first);
		await page.getByLabel("Redirect URIs").fill("https://reports.example/auth/callback");
		expect(await page.getByLabel("First-party application").isChecked()).toBe(false);
		await page.getByRole("checkbox", { name: "Acting on their behalf" }).check();
		await page.getByRole("button", { name: "Save settings" }).click();
		await page.getByText("Settings saved.").waitFor();

		await page.getByRole("button", { name: "Rotate secret" }).click();
		await confirmByName(page, "Reports", "Rotate secret");
		await page.getByText("It is shown only once.").waitFor();
		const second = await page.getByRole("textbox", { name: "Secret" }).inputValue();
		expect([await proves(first), await proves(second)]).toEqual([401, 200]);
		await page.reload();
		await heading(page, "Reports").waitFor();
		expect(await page.getByRole("checkbox", { name: "Acting on their behalf" }).isChecked()).toBe(true);
		expect(await page.getByLabel("Every refresh returns an ID token").isChecked()).toBe(true);
		expect(await page.getByLabel("Redirect URIs").inputValue()).toBe("https://reports.example/auth/callback");
		expect(await page.getByRole("textbox", { name: "Secret" }).count()).toBe(0);

		await page.getByRole("button", { name: "Delete" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByText("This cannot be undone.").waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Delete" }).click();
		await confirmByName(page, "Reports", "Delete the application");
		await page.getByText("Reports was deleted.").waitFor();
		await heading(page, "Applications").waitFor();
		expect(await page.getByRole("link", { name: "Reports" }).count()).toBe(0);
		expect(await proves(second)).toBe(401);
	}));

test("errors of an application are shown, and the focus goes to the field to correct", () =>
	inClients(async (page) => {
		await page.getByRole("link", { name: "Register an application" }).click();
		const send = page.getByRole("button", { name: "Register an application" });
		const focused = () => page.evaluate("document.activeElement.name");
		await send.click();
		await page.getByRole("alert").getByText("Enter an identifier of at least two").waitFor();
		await expect.poll(focused, patience).toBe("client_id");
		await page.getByLabel("Identifier (client_id)").fill("console-ui");
		await page.getByLabel("Name", { exact: true }).fill("Another console");
		await page.getByLabel("Redirect URIs").fill("http://reports.example/callback");
		await send.click();
		await page.getByRole("alert").getByText("A redirect URI is not allowed.").waitFor();
		await expect.poll(focused, patience).toBe("redirect_uris");
		await page.getByLabel("Redirect URIs").fill("https://reports.example/callback");
		await send.click();
		await page.getByRole("alert").getByText("Another application has this identifier.").waitFor();
		await expect.poll(focused, patience).toBe("client_id");
	}));
