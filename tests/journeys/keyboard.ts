import type { Locator, Page } from "playwright-core";

const pressesMax = 60;

/** Moves the focus by Tab until something has it, as a person does who cannot use a mouse. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
	await target.waitFor();
	const isFocused = async () => (await target.and(page.locator(":focus")).count()) > 0;
	for (let presses = 0; !(await isFocused()); presses += 1) {
		if (presses === pressesMax) throw new Error(`${target} is not reached by Tab.`);
		await page.keyboard.press("Tab");
	}
}

/** Presses a button or follows a link by the keyboard. */
export async function pressByKey(page: Page, target: Locator): Promise<void> {
	await tabTo(page, target);
	await page.keyboard.press("Enter");
}

/** Types into a field by the keyboard. */
export async function typeByKey(page: Page, target: Locator, text: string): Promise<void> {
	await tabTo(page, target);
	await page.keyboard.type(text);
}
