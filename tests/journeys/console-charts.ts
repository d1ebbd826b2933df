import type { Locator } from "playwright-core";

/** A part of a bar: the label of its number, and the number. */
type Part = readonly [label: string, value: number];

/** An amount in shillings as the console shows it. */
export const shillings = (minor: number): string =>
	`${minor < 0 ? "-" : ""}Ksh ${(Math.abs(minor) / 100).toLocaleString("en", { minimumFractionDigits: 2 })}`;

/** The texts of elements, with ordinary spaces. */
export const textsOf = async (found: Locator): Promise<string[]> =>
	(await found.allTextContents()).map((text) => text.replaceAll(/\s/g, " "));

/** What a bar in an element draws: the width of each of its parts, in percent. */
export async function widthsIn(place: Locator): Promise<number[]> {
	const drawn = await place.locator("svg rect").all();
	return Promise.all(drawn.map(async (one) => Math.round(Number(await one.getAttribute("width")))));
}

/** The widths that a bar of these numbers has. Pure. */
export function widthsOf(values: readonly number[]): number[] {
	const drawn = values.filter((value) => value > 0);
	const sum = drawn.reduce((all, value) => all + value, 0);
	return drawn.map((value) => Math.round((value / sum) * 100));
}

/**
 * What a named part of a page shows of amounts: its bar, and the number of each label. It is what `chartOf`
 * says of the same amounts.
 */
export const readChart = async (region: Locator, parts: readonly Part[]) => ({
	widths: await widthsIn(region),
	amounts: await Promise.all(
		parts.map(async ([label]) => [
			label,
			(await textsOf(region.locator(`dt:text-is("${label}") + dd`))).join(),
		]),
	),
});

/** What has to be shown of amounts of which `drawn` are in the bar. Pure. */
export const chartOf = (drawn: readonly Part[], others: readonly Part[] = []) => ({
	widths: widthsOf(drawn.map(([, value]) => value)),
	amounts: [...drawn, ...others].map(([label, value]) => [label, shillings(value)]),
});
