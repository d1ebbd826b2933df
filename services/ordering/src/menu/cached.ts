/** Marks an answer that is the same for everybody: anyone on the way may keep it for a minute, and longer while it asks anew. */
export const cached = <Reply extends { header(name: string, value: string): Reply }>(reply: Reply): Reply =>
	reply.header("cache-control", "public, max-age=60, stale-while-revalidate=300");
