/** The parts of a page within which a neighbour is looked for, from the inside out. */
const parts = "dialog, table, ul, ol, fieldset, section, form, nav, header";
/** What gets the focus. Not a text field: that would open the keyboard of a phone. */
const controls = 'a[href], button, summary, select, input:is([type="checkbox"], [type="radio"])';

/**
 * Keeps the keyboard where it is for as long as the document lives. When what has the focus is removed or
 * disabled, the focus would fall to the whole document: instead a neighbour gets it, or the heading of the
 * page. A control that is enabled again gets it back, unless the person went on meanwhile.
 */
export function keepFocus(): void {
	/** Where the element with the focus is. A range stays there when the element is removed. */
	const place = document.createRange();
	let held: Element | undefined;
	let text: string | null = null;
	let lost: Element | undefined;
	let standIn: Element | undefined;
	let isWaiting = false;

	const move = (from: Element) => {
		if (isUsable(from)) focus(from);
		else if (isNowhere()) standIn = findNear(place, { id: from.id, text }).find(focus);
		if (isUsable(from) || !from.isConnected) lost = undefined;
	};
	const look = () => {
		isWaiting = false;
		if (lost !== undefined) {
			if (isNowhere() || document.activeElement === standIn) move(lost);
			else lost = undefined;
			// The person left it, for example by a click beside it.
		} else if (isNowhere()) held = undefined;
	};
	/** After the page has changed altogether, and has said itself what gets the focus. */
	const lookSoon = () => {
		if (isWaiting) return;
		isWaiting = true;
		setTimeout(look);
	};

	document.addEventListener("focusin", ({ target }) => {
		if (!(target instanceof Element)) return;
		held = target;
		text = target.textContent;
		place.setStartBefore(target);
		place.collapse(true);
	});
	document.addEventListener("focusout", lookSoon);
	new MutationObserver(() => {
		if (held !== undefined && !isUsable(held)) lost ??= held;
		if (lost !== undefined) lookSoon();
	}).observe(document, { subtree: true, childList: true, attributeFilter: ["disabled"] });
}

/** Whether nothing has the focus that could react to a key. */
function isNowhere(): boolean {
	const { activeElement: active, body } = document;
	return active === null || active === body || !isUsable(active);
}

const isUsable = (element: Element) => element.isConnected && !element.matches(":disabled");

/**
 * What is in the place of an element that is gone: itself, if it was made again, and the controls of the
 * innermost part of the page, and so on outwards. Of a part, those that do the same come first, as in the
 * next row, then those that follow.
 */
function findNear(place: Range, { id, text }: { id: string; text: string | null }): Element[] {
	const { startContainer: start } = place;
	const same = document.getElementById(id);
	const near = same === null ? [] : [same];
	let part = (start instanceof Element ? start : start.parentElement)?.closest(parts);
	for (; part; part = part.parentElement?.closest(parts)) {
		const found = [...part.querySelectorAll<HTMLElement>(controls)];
		const isNext = (control: Element) => place.comparePoint(control, 0) >= 0;
		const sorted = [...found.filter(isNext), ...found.filter((one) => !isNext(one)).toReversed()];
		near.push(...sorted.filter(({ textContent }) => textContent !== "" && textContent === text), ...sorted);
	}
	return [...near, ...document.querySelectorAll("h1, main")];
}

/** Returns whether it took the focus: what is hidden, or behind a dialog, does not. */
function focus(element: Element): boolean {
	if (element instanceof HTMLElement) element.focus({ preventScroll: !element.matches(controls) });
	return document.activeElement === element;
}
