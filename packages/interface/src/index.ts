export { Button, type ButtonKind, buttonLook } from "./controls/button.tsx";
export { Countdown, durationText } from "./controls/countdown.tsx";
export { ConfirmDialog, Dialog } from "./controls/dialog.tsx";
export { LeaveQuestion } from "./controls/leave-question.tsx";
export { Notice } from "./controls/notice.tsx";
export { ChecksField } from "./fields/checks-field.tsx";
export { type Choice, ChoiceField } from "./fields/choice-field.tsx";
export { FileField } from "./fields/file-field.tsx";
export { type FieldError, FormError } from "./fields/form-error.tsx";
export { boxAria, GroupError, GroupFrame, type GroupWords } from "./fields/group-frame.tsx";
export { PasswordField } from "./fields/password-field.tsx";
export { SearchField } from "./fields/search-field.tsx";
export { SelectField } from "./fields/select-field.tsx";
export { TextAreaField } from "./fields/text-area-field.tsx";
export { TextField } from "./fields/text-field.tsx";
export { findField, useErrorFocus } from "./fields/use-error-focus.ts";
export { useSending } from "./fields/use-sending.ts";
export { ChoiceButtons } from "./lists/choice-buttons.tsx";
export { type CursorPages, useCursorPages } from "./lists/cursor-pages.ts";
export { type Column, DataTable, type SortOrder } from "./lists/data-table.tsx";
export { DeviceCards } from "./lists/device-cards.tsx";
export { type Device, devicesOf } from "./lists/devices.ts";
export { findRows } from "./lists/find-rows.ts";
export { Pager } from "./lists/pager.tsx";
export { RowName } from "./lists/row-name.tsx";
export { followAccount, leaveAccount } from "./page/account-look.ts";
export { keepFocus } from "./page/keep-focus.ts";
export { LookSwitch } from "./page/look-switch.tsx";
export { untilOnline, untilReachable, whenOnline } from "./page/network.ts";
export { OfflineNotice, useOfflineWords } from "./page/offline-notice.tsx";
export { PageFrame } from "./page/page-frame.tsx";
export { PageHeading } from "./page/page-heading.tsx";
export { keepShell } from "./page/shell.ts";
export { SkipLink } from "./page/skip-link.tsx";
export { chooseTheme, restoreTheme, type Theme, useTheme } from "./page/theme.ts";
export { TenantBadge } from "./tenant/tenant-badge.tsx";
export { findShelved, shelve, tenantFreshMilliseconds } from "./tenant/tenant-shelf.ts";
export { shareChoices } from "./texts/choice-cookie.ts";
export { compareNames } from "./texts/compare-names.ts";
export { formatDay, formatMoney, formatNumber, formatTime, nameZone } from "./texts/format.ts";
export { useCaseNames } from "./texts/glossary.ts";
export {
	chooseLanguage,
	createTexts,
	currentLanguage,
	type Language,
	languages,
	preferredLanguage,
	setFallbackLanguage,
	setRequestedLanguages,
	useLanguage,
} from "./texts/language.ts";
export { wordTables } from "./texts/words.ts";
export { useKeptEntries } from "./unsaved/kept-entries.ts";
export { forgetAllKept, keepEntriesFor } from "./unsaved/kept-storage.ts";
export { type KeptNote, useKeptNote, useKeptState } from "./unsaved/kept-value.ts";
export { watchSending } from "./unsaved/sending.ts";
export { hasUnsaved, useHasUnsaved, useUnsaved } from "./unsaved/unsaved.ts";
