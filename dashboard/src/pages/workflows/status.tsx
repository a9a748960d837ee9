// SPDX-License-Identifier: MIT
// The states of workflows, executions and steps.
import { Badge, type Tone } from '../../parts/badge';
import { w } from '../../words';
import type { ExecutionStatus, Step, WorkflowStatus } from './query';

const workflowTones: Record<WorkflowStatus, Tone> = { active: 'good', paused: 'warn', draft: 'calm' };
export const WorkflowBadge = ({ status }: { status: WorkflowStatus }) => <Badge tone={workflowTones[status]}>{w.workflows.state[status]}</Badge>;

const executionTones: Record<ExecutionStatus, Tone> = { IN_PROGRESS: 'info', WAITING: 'info', COMPLETED: 'good', FAILED: 'bad', CANCELLED: 'calm' };
export const ExecutionBadge = ({ status }: { status: ExecutionStatus }) => <Badge tone={executionTones[status]}>{w.workflows.state[status]}</Badge>;

export const stepTones: Record<NonNullable<Step['result']>, Tone> = { done: 'good', waiting: 'info', skipped: 'warn', retrying: 'warn', failed: 'bad' };
