import { ClientProvider } from "@lango/client/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./notices/create-query-client.ts";
import { ErrorPage } from "./pages/errors/error-page.tsx";
import { type Platform, PlatformContext } from "./platform.ts";
import { consoleRouter } from "./routes.tsx";

/** Shows the page of the address. */
export function showPages(platform: Platform): void {
	const { client } = platform;
	show(
		<PlatformContext value={platform}>
			<ClientProvider client={client}>
				<QueryClientProvider client={createQueryClient(client)}>
					<RouterProvider router={consoleRouter()} />
				</QueryClientProvider>
			</ClientProvider>
		</PlatformContext>,
	);
}

/** Shows that the console cannot be started, and reports why. */
export function showBroken(cause: unknown): void {
	reportError(cause);
	show(<ErrorPage />);
}

function show(content: ReactNode): void {
	const place = document.getElementById("page");
	if (place === null) throw new Error("index.html has no element #page.");
	createRoot(place).render(<StrictMode>{content}</StrictMode>);
}
