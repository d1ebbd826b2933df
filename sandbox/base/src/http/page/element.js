/**
 * Makes an element. `properties` are set as properties, `data-*`, `aria-*` and `role` as attributes; children
 * are elements or text, so texts of messages are never read as HTML.
 */
export function element(name, properties = {}, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(properties)) {
		if (value === undefined || value === null) continue;
		if (/^(data|aria)-|^role$/.test(key)) made.setAttribute(key, value);
		else made[key] = value;
	}
	made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
	return made;
}
