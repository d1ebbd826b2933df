/**
 * Marks a public response: shared caches may store it for a minute, and serve it stale for five minutes while
 * they revalidate.
 */
export const cached = <Reply extends { header(name: string, value: string): Reply }>(reply: Reply): Reply =>
	reply.header("cache-control", "public, max-age=60, stale-while-revalidate=300");
