import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import { faultsInThemes, heading, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";

let stand: SharedConsole;
let tenant: ConsoleTenant;
beforeAll(async () => {
	stand = await openSharedConsole();
	tenant = await registerTenant(stand);
	await tenant.paysFor("GROWTH");
});

const path = "shared/generic_notification";
const at = (rest = "", slug = tenant.slug) => `${stand.urls.console}/${slug}/templates${rest}`;
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const inDialog = (page: Page, name: string) =>
	page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const editor = (page: Page) => page.getByRole("textbox", { name: /^Text \(/ });

/** Signs in at a page of templates. */
async function open(page: Page, rest = `/${path}`): Promise<void> {
	await page.goto(at(rest));
	await signIn(page, tenant.email);
	await page
		.getByRole("main")
		.getByRole("heading", { level: 2 })
		.or(page.getByRole("table"))
		.first()
		.waitFor();
}

async function write(page: Page, text: string): Promise<void> {
	await editor(page).click();
	await page.keyboard.press("ControlOrMeta+a");
	await page.keyboard.insertText(text);
}

/** What the page of an e-mail shows in the frame of the preview, which runs no script. */
const previewed = (page: Page) =>
	page.evaluate("document.querySelector('iframe')?.contentDocument.body.textContent ?? ''");

async function save(page: Page): Promise<void> {
	await button(page, "Save the draft").click();
	await said(page, /^The draft is saved\./);
}

async function publish(page: Page): Promise<void> {
	await button(page, "Publish").click();
	await inDialog(page, "Publish");
	await said(page, `${path} is published.`);
}

const message = (to: string, title: string) => ({
	...{ channel: "email", template: path, to: [to] },
	data: { name: "Asha", title, message: "Only 3 left.", action_link: "https://lango.example/stock" },
});

test("a text is edited, looked at, published and sent: the recipient finds it, and what it replaces is in force again when it ends", () =>
	stand.visit(async (page, window) => {
		await open(page, "");
		await page.getByLabel("Search templates").fill("generic");
		await page.getByRole("link", { name: path }).click();
		await page.getByLabel("Subject", { exact: true }).fill("Duka: {{ title }}");
		await write(page, "<mj-text>Habari {{ name }}, news of the shop: {{ message }}</mj-text>");
		await page.getByLabel("name", { exact: true }).fill("Zawadi");
		await expect.poll(() => previewed(page), patience).toContain("Habari Zawadi, news of the shop");
		await save(page);
		await publish(page);
		await said(page, "Replaced by you");

		await tenant.sends(message("neema@customers.example", "Stock is low"));
		const inbox = await window.newPage();
		await inbox.goto(stand.urls["messages-sandbox"]);
		await inbox.getByLabel("Search addresses, subjects and texts").fill("neema@customers.example");
		await inbox.getByText("Duka: Stock is low").first().click();
		await inbox
			.frameLocator("iframe")
			.getByText("Habari Asha, news of the shop: Only 3 left.")
			.first()
			.waitFor({ state: "attached" });
		await inbox.close();

		await page.getByLabel("From", { exact: true }).selectOption("platform");
		const changed = page.getByRole("region", { name: "E-mail · English" });
		await changed.getByText("news of the shop").waitFor();
		await page.getByLabel("To", { exact: true }).selectOption("platform");
		await said(page, "There is no difference.");
		await button(page, "Use the platform’s template").click();
		await inDialog(page, "Use the platform’s template");
		await said(page, "The platform’s template is in force.");
		await said(page, "From the platform");
	}));

test("what is typed while the editor is loaded continues in the editor, which adds nothing to it", () =>
	stand.visit(async (page) => {
		const isAwaited = Promise.withResolvers<void>();
		await page.route(/code-editor/, async (route) => {
			await isAwaited.promise;
			await route.continue();
		});
		await open(page);
		await editor(page).click();
		await page.keyboard.press("ControlOrMeta+End");
		await page.keyboard.type("<b>Before</b>, ");
		isAwaited.resolve();
		await page.locator(".cm-content").waitFor();
		await page.keyboard.type("<b>after</b>");
		expect(await editor(page).textContent()).toMatch(/<b>Before<\/b>, <b>after<\/b>$/);
	}));

test("a key that is pressed before the page has handled the one before is not lost in the editor", () =>
	stand.visit(async (page) => {
		await open(page);
		await page.locator(".cm-content").waitFor();
		await page.evaluate(enterWhenRendered);
		await editor(page).click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.type("?");
		await said(page, "You have unsaved changes.");
		await page.keyboard.type("?");
		expect(await editor(page).textContent()).toContain("!");
	}));

/** Enters something into the editor right when the page has rendered what was typed before. */
const enterWhenRendered = `new MutationObserver((_changes, observer) => {
	observer.disconnect();
	const { shadowRoot } = [...document.querySelectorAll("main div")].find((part) => part.shadowRoot !== null);
	shadowRoot.querySelector(".cm-line").append("!");
}).observe(document.querySelector("main p[role=status]:not(:empty)"), { childList: true, characterData: true, subtree: true })`;

test("a draft that another tab changed is not overwritten: nothing typed is lost, and its author chooses", () =>
	stand.visit(async (page, window) => {
		await open(page);
		await editor(page).waitFor();
		const other = await window.newPage();
		await other.goto(at(`/${path}`));
		await write(other, "<mj-text>Of the other tab</mj-text>");
		await save(other);
		await write(page, "<mj-text>Of this tab</mj-text>");
		await button(page, "Save the draft").click();
		await said(page, "Another person changed this template in the meantime.");
		expect(await editor(page).textContent()).toBe("<mj-text>Of this tab</mj-text>");
		await button(page, "Compare both texts").click();
		await said(page, "<mj-text>Of the other tab</mj-text>");
		expect(await faultsInThemes(page)).toEqual([]);
		await button(page, "Save mine instead").click();
		await said(page, "The draft is saved.");

		await write(other, "<mj-text>Of the other tab again</mj-text>");
		await button(other, "Save the draft").click();
		await button(other, "Discard mine, continue with theirs").click();
		await expect.poll(() => editor(other).textContent(), patience).toBe("<mj-text>Of this tab</mj-text>");
		await write(other, "<mj-text>Not saved</mj-text>");
		await other.getByRole("main").getByRole("link", { name: "Templates", exact: true }).click();
		await said(other, "Leave without saving?");
		await inDialog(other, "Continue editing");
		expect(await editor(other).textContent()).toBe("<mj-text>Not saved</mj-text>");
		other.once("dialog", (asked) => void asked.accept());
		await other.reload();
		await expect.poll(() => editor(other).textContent(), patience).toBe("<mj-text>Not saved</mj-text>");
	}));

test("a draft that is published while it is still being saved is not in conflict with itself", () =>
	stand.visit(async (page) => {
		const isAwaited = Promise.withResolvers<void>();
		await page.route(/\/draft$/, async (route) => {
			await isAwaited.promise;
			await route.continue();
		});
		await open(page, "/shared/system_alert");
		await page.getByLabel("Subject", { exact: true }).fill("At once: {{ alert_title }}");
		await button(page, "Save the draft").click();
		await button(page, "Publish").click();
		await inDialog(page, "Publish");
		await button(page, "Publishing…").waitFor();
		isAwaited.resolve();
		await said(page, "shared/system_alert is published.");
		expect(await page.getByText("Another person changed this template").count()).toBe(0);
	}));

test("what must be repaired is listed with its place and is not published, and a test that cannot be sent says why", () =>
	stand.visit(async (page) => {
		await open(page, "/cafe/cafe_contact_form");
		await write(page, "<mj-text>{{ password }}</mj-text>");
		await said(page, "This text cannot be shown yet:");
		await button(page, "Save the draft").click();
		await said(page, "One thing must be repaired before publishing:");
		await button(page, "email.en.source").waitFor();
		await button(page, "Publish").click();
		await inDialog(page, "Publish");
		await page.getByRole("dialog").getByText("The template is not valid yet.").waitFor();
		await inDialog(page, "Cancel");
		await write(page, "<mj-text>{{ name }} wrote: {{ message }}</mj-text>");
		await save(page);
		await expect.poll(() => page.getByText("must be repaired before publishing").count(), patience).toBe(0);
		await button(page, "Send a test").click();
		await inDialog(page, "Send the test");
		await page.getByRole("dialog").getByText("You have no verified address on this channel.").waitFor();
		await inDialog(page, "Cancel");
		await button(page, "Inbox · English").click();
		await button(page, "Send a test").click();
		await inDialog(page, "Send the test");
		await said(page, "The test is on its way to your inbox.");
	}));

test("a template of one's own is created once; what is missing or in use is said", () =>
	stand.visit(async (page) => {
		await page.goto(at("/new"));
		await signIn(page, tenant.email);
		const create = () => button(page, "Create the template").click();
		const fault = page.getByRole("alert");
		await create();
		await fault.getByText("Start the group with a small letter").waitFor();
		await expect.poll(() => page.evaluate("document.activeElement.id"), patience).toBe("group");
		await page.getByLabel("Group", { exact: true }).fill("shared");
		await create();
		await fault.getByText("Start the name with a small letter").waitFor();
		await page.getByLabel("Name", { exact: true }).fill("order_ready");
		await create();
		await fault.getByText("the group is one of the platform").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByLabel("Group", { exact: true }).fill("shop");
		await page.getByRole("checkbox", { name: "E-mail" }).uncheck();
		await create();
		await fault.getByText("Choose at least one channel.").waitFor();
		await page.getByRole("checkbox", { name: "SMS" }).check();
		await create();
		await heading(page, "shop/order_ready").waitFor();

		await button(page, "Add a variable").click();
		await inDialog(page, "Add");
		await page.getByRole("dialog").getByRole("alert").getByText("Start with a small letter").waitFor();
		await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("table");
		await page.getByRole("dialog").getByLabel("Sample", { exact: true }).fill("12");
		await inDialog(page, "Add");
		await write(page, "Table {{ table }} is ready.");
		await said(page, "1 SMS, 18 characters");
		await button(page, "Publish").click();
		await inDialog(page, "Publish");
		await said(page, "shop/order_ready is published.");
		await write(page, "Table {{ table }}: ready.");
		await button(page, "Publish").click();
		await inDialog(page, "Publish");
		await page.getByRole("button", { name: "Roll back to version 1" }).click();
		await inDialog(page, "Roll back");
		await said(page, "A copy of version 1 is in force.");
		await expect.poll(() => editor(page).textContent(), patience).toBe("Table {{ table }} is ready.");
		expect(await faultsInThemes(page)).toEqual([]);
		await page.goto(at("/new"));
		await page.getByLabel("Group", { exact: true }).fill("shop");
		await page.getByLabel("Name", { exact: true }).fill("order_ready");
		await create();
		await fault.getByText("The path is in use").waitFor();
	}));

test("a plan without notifications sees that they are missing; the platform's owner edits for everyone", async () => {
	const starter = await registerTenant(stand);
	await starter.paysFor("STARTER");
	await stand.visit(async (page) => {
		await page.goto(at("", starter.slug));
		await signIn(page, starter.email);
		await heading(page, "Your plan does not include this").waitFor();
		await page.getByText("Notifications is not part of your organisation’s plan.").waitFor();
	});
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.console}/lango/platform/templates/${path}`);
		await signIn(page, "root@lango.example");
		await heading(page, path).waitFor();
		await button(page, "SMS · English").click();
		await write(page, "Changed for everyone: {{ message }}");
		await save(page);
		expect(await faultsInThemes(page)).toEqual([]);
		await button(page, "Use the text of the release").click();
		await inDialog(page, "Use the text of the release");
		await said(page, "The text of the release is in force.");
		await expect.poll(() => editor(page).textContent(), patience).toContain("{{ tenant.name }}");
	});
});
