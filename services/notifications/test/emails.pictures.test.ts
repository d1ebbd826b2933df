/**
 * Screenshots of every e-mail of the catalogue in both languages, light and dark, on a phone and a desk, in
 * `.lango/emails/`; and the rules of accessibility that a page of an e-mail can break.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogue } from "../src/catalogue/catalogue.ts";
import { locales } from "../src/channel.ts";
import { compileTemplate } from "../src/rendering/compile-template.ts";
import { renderMessage } from "../src/rendering/render.ts";

const folder = resolve(import.meta.dirname, "../../../.lango/emails");
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
	existsSync,
);
const rules = ["color-contrast", "document-title", "html-has-lang", "image-alt", "link-name", "valid-lang"];

let browser: Browser;
let page: Page;
beforeAll(async () => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	if (executablePath === undefined) throw new Error("Chromium is not installed.");
	browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
	page = await browser.newPage();
});
afterAll(() => browser?.close());

/** Names of the broken rules and the elements that break them. */
async function findViolations(): Promise<readonly string[]> {
	await page.evaluate(axe.source);
	const { violations } = await page.evaluate<axe.AxeResults>(
		`axe.run({ runOnly: ${JSON.stringify(rules)} })`,
	);
	return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const withEmail = catalogue.filter(({ contents }) => contents.some(({ channel }) => channel === "email"));

test.each(withEmail)("$path is readable in both languages, light and dark", async (source) => {
	const template = await compileTemplate(source);
	for (const locale of locales) {
		const rendered = renderMessage({
			template,
			channel: "email",
			locale,
			values: source.samples,
			formats: { timeZone: "Africa/Nairobi", currency: "KES" },
			branding: { tenantName: "Uhai Hospital" },
			to: "amina@example.com",
			from: { name: "Uhai Hospital", address: "no-reply@lango.example" },
			unsubscribeUrl: "https://notifications.example.com/public/unsubscribe?t=sample",
		});
		if (rendered.channel !== "email") throw new Error("not an e-mail");
		for (const colorScheme of ["light", "dark"] as const) {
			await page.emulateMedia({ colorScheme });
			await page.setContent(rendered.html);
			for (const width of [390, 720]) {
				await page.setViewportSize({ width, height: 600 });
				const name = `${source.path.replace("/", "-")}-${locale}-${width}-${colorScheme}.png`;
				await page.screenshot({ path: join(folder, name), fullPage: true });
				expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
			}
			expect(await findViolations(), `${locale}, ${colorScheme}`).toEqual([]);
		}
	}
});
