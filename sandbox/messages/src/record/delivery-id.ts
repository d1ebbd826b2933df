const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The first UUID in the places where a sender may put the id of its delivery, or null. */
export function deliveryIdIn(places: ReadonlyArray<string | undefined>): string | null {
	for (const place of places) {
		const found = uuid.exec(place ?? "")?.[0];
		if (found !== undefined) return found.toLowerCase();
	}
	return null;
}
