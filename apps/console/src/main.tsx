import "./styles.css";
import { ClientProvider } from "@lango/client/react";
import { restoreTheme, setFallbackLanguage } from "@lango/interface";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./notices/create-query-client.ts";
import { ErrorPage } from "./pages/errors/error-page.tsx";
import { PlatformContext } from "./platform.ts";
import { consoleRouter } from "./routes.tsx";
import { createConsoleClient } from "./session/create-console-client.ts";
import { readSettings, type Settings } from "./settings.ts";

restoreTheme();
setFallbackLanguage(undefined);
show(await readSettings().then(pages).catch(broken));

async function pages(settings: Settings): Promise<ReactNode> {
	setFallbackLanguage(settings.language);
	const client = createConsoleClient(settings);
	if (!location.pathname.endsWith("/auth/callback")) await client.start();
	return (
		<PlatformContext value={{ client, settings }}>
			<ClientProvider client={client}>
				<QueryClientProvider client={createQueryClient(client)}>
					<RouterProvider router={consoleRouter()} />
				</QueryClientProvider>
			</ClientProvider>
		</PlatformContext>
	);
}

function broken(cause: unknown): ReactNode {
	reportError(cause);
	return <ErrorPage />;
}

function show(content: ReactNode): void {
	const place = document.getElementById("page");
	if (place === null) throw new Error("index.html has no element #page.");
	createRoot(place).render(<StrictMode>{content}</StrictMode>);
}
