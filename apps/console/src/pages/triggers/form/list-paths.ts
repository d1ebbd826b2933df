const depthMax = 3;

/** Returns the paths of the values in the data of an event, from its JSON Schema: `event.customer.name`. */
export function listPaths(schema: unknown, root = "event", depth = 1): string[] {
	const properties = membersOf(schema);
	return Object.entries(properties).flatMap(([name, member]) => {
		const path = `${root}.${name}`;
		const isDeeper = depth < depthMax && Object.keys(membersOf(member)).length > 0;
		return isDeeper ? listPaths(member, path, depth + 1) : [path];
	});
}

function membersOf(schema: unknown): Readonly<Record<string, unknown>> {
	if (typeof schema !== "object" || schema === null || !("properties" in schema)) return {};
	const { properties } = schema;
	return typeof properties === "object" && properties !== null ? (properties as Record<string, unknown>) : {};
}
