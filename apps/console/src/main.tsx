import "./styles.css";
import { ClientProvider } from "@lango/client/react";
import { restoreTheme, setFallbackLanguage } from "@lango/interface";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueries } from "./notices/make-queries.ts";
import { BrokenPage } from "./pages/unknown/broken-page.tsx";
import { consoleRouter } from "./routes.tsx";
import { makeClient } from "./session/make-client.ts";
import { PlatformContext } from "./session/platform.ts";
import { readSettings, type Settings } from "./settings.ts";

restoreTheme();
setFallbackLanguage(undefined);
show(await readSettings().then(pages).catch(broken));

async function pages(settings: Settings): Promise<ReactNode> {
	setFallbackLanguage(settings.language);
	const client = makeClient(settings);
	if (!location.pathname.endsWith("/auth/callback")) await client.start();
	return (
		<PlatformContext value={{ client, settings }}>
			<ClientProvider client={client}>
				<QueryClientProvider client={makeQueries(client)}>
					<RouterProvider router={consoleRouter()} />
				</QueryClientProvider>
			</ClientProvider>
		</PlatformContext>
	);
}

function broken(cause: unknown): ReactNode {
	reportError(cause);
	return <BrokenPage />;
}

function show(content: ReactNode): void {
	const place = document.getElementById("page");
	if (place === null) throw new Error("index.html has no element #page.");
	createRoot(place).render(<StrictMode>{content}</StrictMode>);
}
