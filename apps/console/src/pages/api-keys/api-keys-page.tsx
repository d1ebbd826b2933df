import { useProfile } from "@lango/client/react";
import { Button, Notice } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { CopiedText } from "../../fields/copied-text.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { AccessLayout } from "../access/access-layout.tsx";
import { ServiceGate } from "../access/service-gate.tsx";
import { type ApiKey, apiKeysAddress, apiKeysKey, type CreatedApiKey } from "./api-key.queries.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { useApiKeyTexts } from "./texts.ts";
import { useKeyColumns } from "./use-key-columns.tsx";

const route = getRouteApi("/$slug/access/$service/keys");

/** `/{slug}/access/{service}/keys`: the API keys with which programs call a service (spec §5.6). */
export function ApiKeysPage() {
	const { slug, service } = route.useParams();
	return (
		<ServiceGate service={service} slug={slug} permission={`${service}.api_keys.view`}>
			{(scope, granted) => <ApiKeys scope={scope} granted={granted} />}
		</ServiceGate>
	);
}

function ApiKeys({ scope, granted }: { scope: ServiceScope; granted: ReadonlySet<string> }) {
	const platform = usePlatform();
	const words = useApiKeyTexts();
	const name = useTexts().products[scope.service];
	const platformPermissions = useProfile()?.permissions ?? [];
	const [isCreating, setCreating] = useState(false);
	const [created, setCreated] = useState<CreatedApiKey>();
	const list = usePagedList<ApiKey>({
		key: apiKeysKey(scope),
		address: apiKeysAddress(platform, scope),
		outlet: scope.outlet,
	});
	// A key is valid in the whole tenant, so a permission at one outlet is not enough.
	const mayManage = scope.outlet === "none" && isGranted(granted, `${scope.service}.api_keys.manage`);
	const columns = useKeyColumns({
		scope,
		mayManage,
		onRevoked: ({ id }) => created?.id === id && setCreated(undefined),
	});
	const action = mayManage && (
		<Button aria-haspopup="dialog" kind="action" onClick={() => setCreating(true)}>
			{words.create}
		</Button>
	);
	return (
		<AccessLayout
			scope={scope}
			granted={granted}
			actions={action}
			heading={{ title: words.title(name), lead: words.lead(name) }}
		>
			<div className="grid gap-6">
				{created !== undefined && (
					<CreatedKey key={created.id} created={created} onHide={() => setCreated(undefined)} />
				)}
				<div>
					<PagedList
						isMain
						list={list}
						caption={words.caption}
						columns={columns}
						keyOf={({ id }) => id}
						empty={words.none}
					/>
				</div>
				<p className="text-quiet">{words.lastUseNote}</p>
			</div>
			{isCreating && (
				<CreateKeyDialog
					scope={scope}
					creator={{ granted, platformPermissions }}
					onDone={(made) => {
						setCreating(false);
						setCreated(made);
					}}
					onClose={() => setCreating(false)}
				/>
			)}
		</AccessLayout>
	);
}

/** The secret of a new key. It stays on the page until it is hidden, so that Escape does not lose it. */
function CreatedKey({ created: { name, key }, onHide }: { created: CreatedApiKey; onHide: () => void }) {
	const words = useApiKeyTexts();
	return (
		<Notice kind="warning">
			<p className="wrap-anywhere">{words.secretOnce(name)}</p>
			<CopiedText label={words.secret} text={key} />
			<div className="mt-3">
				<Button kind="quiet" onClick={onHide}>
					{words.hideSecret}
				</Button>
			</div>
		</Notice>
	);
}
